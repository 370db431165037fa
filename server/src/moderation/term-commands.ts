import { utcMinute } from '../time.ts'
import { NOT_CHANGED, type TermChanged } from './terms.ts'

/** Changes the end of a listing, and prints it. @throws Error if there is no such listing, or its end must stay */
export async function showTerm(
  slug: string,
  changed: Promise<TermChanged | undefined>,
  asJson: boolean,
): Promise<void> {
  const done = await changed
  if (!done) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const { listing, why, before } = done
  if (why === 'ended') {
    if (asJson) return void console.log(JSON.stringify({ slug, expiresAt: before, before, changed: false }))
    return void console.log(`${slug} ${NOT_CHANGED.ended}.`)
  }
  if (why) throw new Error(`${slug} ${NOT_CHANGED[why]}`)
  const { expiresAt } = listing
  if (asJson) return void console.log(JSON.stringify({ slug, expiresAt, before, changed: done.changed }))
  console.log(`${slug} now ends ${utcMinute(expiresAt ?? 0)} UTC; before, ${utcMinute(before ?? 0)} UTC.`)
}
