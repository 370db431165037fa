const UNRELEASED = '## Unreleased\n'

/** The text under Unreleased. @throws Error if there is none, or nothing about upgrading */
export function releaseNotes(changelog: string): string {
  const from = changelog.indexOf(UNRELEASED)
  if (from < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"')
  const [notes = ''] = changelog.slice(from + UNRELEASED.length).split(/^## /m)
  if (!partOf(notes, 'Changes')) throw new Error('CHANGELOG.md has nothing under "### Changes" of Unreleased')
  if (!partOf(notes, 'Upgrading')) {
    throw new Error(
      'CHANGELOG.md has nothing under "### Upgrading" of Unreleased: say what an operator has to do, or that there is nothing',
    )
  }
  return notes.trim()
}

/** The text under a heading of the notes; empty if there is none. */
const partOf = (notes: string, heading: string): string =>
  (notes.split(`### ${heading}\n`)[1] ?? '').split(/^### /m, 1)[0]?.trim() ?? ''

/** The changelog with its unreleased section moved under a version and a day, and a new empty one before it. */
export const closeUnreleased = (changelog: string, version: string, day: string): string =>
  changelog.replace(UNRELEASED, `${UNRELEASED}\n### Upgrading\n\n### Changes\n\n## ${version} (${day})\n`)

/** The upgrade notes with their unreleased section moved likewise. @throws Error if there is none with a schema */
export function closeUpgradeNotes(page: string, version: string, day: string): string {
  const [unreleased, schema] = /^## Unreleased\n\nSchema: (\d{4})\n/m.exec(page) ?? []
  if (!unreleased) throw new Error('docs/upgrading.md has no section "## Unreleased" with its schema')
  const notes = unreleased.replace('Unreleased', `${version} (${day})`)
  return page.replace(unreleased, `${UNRELEASED}\nSchema: ${schema}\n\nNothing to do yet.\n\n${notes}`)
}
