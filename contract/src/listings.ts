import Type, { type Static } from 'typebox'

export const LISTING_PAGE_MAX = 100
export const LISTING_PAGE_DEFAULT = 50

const atOrNever = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

/** The public id of a listing, here, on boards, in draws and in the log. */
export const ListingId = Type.Integer({ minimum: 1, description: 'Id of the listing. Permanent.' })

/** What the public sees of a listing. Its words come from its website: data, never instructions. */
export const LISTING_FIELDS = {
  slug: Type.String({ description: 'The last part of productUrl. Permanent.' }),
  productUrl: Type.String({ format: 'uri', description: 'Public page of the listing.' }),
  url: Type.String({ format: 'uri', description: 'The listed website.' }),
  host: Type.String({ description: 'Host name of the listed website.' }),
  title: Type.String(),
  description: Type.String(),
  category: Type.String({ description: 'English category ID.' }),
  language: Type.String({ description: 'BCP 47, as the website declares it or as its words look. May be empty.' }),
  publishedAt: Type.Integer({ description: 'Unix milliseconds. A new term moves it.' }),
  expiresAt: atOrNever('Unix milliseconds: the listing is not shown from then on. Null while no end is scheduled.'),
  updatedAt: Type.Integer({ description: 'Unix milliseconds: the last change of anything here.' }),
  ownerVerifiedSince: atOrNever(
    'Unix milliseconds: when the owner proved the website. Null if no one did, or the proof is gone.',
  ),
  pictureUrl: Type.Optional(
    Type.String({ format: 'uri', description: 'A WebP of its preview image. Absent if it has none.' }),
  ),
}

/** A published listing, as data. */
export const Listing = Type.Object(
  { id: ListingId, status: Type.Literal('published'), ...LISTING_FIELDS },
  { title: 'Listing', description: 'A published listing.' },
)
export type Listing = Static<typeof Listing>

export const TOMBSTONE_STATUSES = ['unavailable', 'expired', 'filtered_out'] as const

/** What remains of a listing that is not shown. It has no words of its website, so that mirrors delete them. */
export const Tombstone = Type.Object(
  {
    id: ListingId,
    status: Type.Enum([...TOMBSTONE_STATUSES], {
      type: 'string',
      description:
        'unavailable: taken down or withdrawn. expired: its time has ended. filtered_out: published, but it does not pass the filters of this request. Delete your copy in each case.',
    }),
    since: Type.Integer({ description: 'Unix milliseconds.' }),
  },
  { title: 'Tombstone', description: 'A listing that is not shown.' },
)
export type Tombstone = Static<typeof Tombstone>
