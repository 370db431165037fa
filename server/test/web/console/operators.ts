import { makeConsoleLink } from '../../../src/domain/moderation/console/sessions.ts'
import { addReport, type ReportReason } from '../../../src/domain/moderation/reports.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import type { Pages } from '../page-app.ts'
import { newVisitor, type Visited, type Visitor } from '../visitor.ts'

/** An operator who has entered the console. */
export async function enter(pages: Pages, name: string): Promise<Visitor> {
  const visitor = newVisitor(pages)
  const entered = await visitor.post(await linkFor(pages, name), {})
  if (entered.location !== '/console') throw new Error(`not in the console: ${entered.status}`)
  return visitor
}

/** The path of a new link. */
export const linkFor = async ({ store, time }: Pages, name: string): Promise<string> =>
  `/console/enter/${await makeConsoleLink(store, name, time.now)}`

let networks = 0

/** Reports a listing, some times, each from another network. */
export async function reported(
  { store, time }: Pick<Pages, 'store' | 'time'>,
  slug: string,
  times = 1,
  reason: ReportReason = 'misleading',
): Promise<string[]> {
  const id = await idOf(store, slug)
  const keys: string[] = []
  // One after the other: on a busy machine, fifty at once would wait too long for a connection to the database.
  for (let nth = 1; nth <= times; nth++) {
    const report = await addReport(
      { store, serviceKeys: FIXED_KEYS },
      id,
      { reason, details: `Report ${nth} about ${slug}`, contact: '' },
      `network ${++networks}`,
      time.now,
    )
    keys.push(report?.key ?? '')
  }
  return keys
}

export async function idOf({ db }: Store, slug: string): Promise<number> {
  const { id } = await db.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
  return Number(id)
}

/** The value of a listing's button on a page. */
export function buttonOf({ html }: Visited, act: 'hide' | 'keep' | 'restore', id: number): string {
  const found = [...html.matchAll(/<button[^>]*name="(\w+)"[^>]*value="([^"]+)"/g)].find(
    ([, name, value]) => name === act && value?.startsWith(`${id}.`),
  )
  if (!found?.[2]) throw new Error(`no button to ${act} ${id}`)
  return found[2]
}

/** The number with which the last act is undone. */
export const undoId = ({ html }: Visited): string | undefined =>
  /action="\/console\/undo"[\s\S]*?name="id" value="([^"]+)"/.exec(html)?.[1]
