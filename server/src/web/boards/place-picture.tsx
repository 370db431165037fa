import { picturePath } from '../../pictures/path.ts'

interface Pictured {
  slug: string
  title: string
  hostname: string
  category: string
  language: string
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
}

/** The picture of a listing beside its name: it says nothing that the words do not. */
export const PlacePicture = ({
  listing,
  ...img
}: {
  listing: Pictured
  class?: string
  width: number
  height: number
}) => <img {...img} src={picturePath(listing, listing.pictureVersion)} loading="lazy" alt="" />
