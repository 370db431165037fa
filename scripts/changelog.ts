const UNRELEASED = '## Unreleased\n'
/** The schema of the database that a release needs, in its notes on upgrading. */
const SCHEMA = /^Schema: \d{4}$/m

/** The text under Unreleased. @throws Error if there is none, or nothing about upgrading */
export function releaseNotes(changelog: string): string {
  const from = changelog.indexOf(UNRELEASED)
  if (from < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"')
  const [notes = ''] = changelog.slice(from + UNRELEASED.length).split(/^## /m)
  if (!partOf(notes, 'Changes')) throw new Error('CHANGELOG.md has nothing under "### Changes" of Unreleased')
  if (!partOf(notes, 'Upgrading').replace(SCHEMA, '').trim()) {
    throw new Error(
      'CHANGELOG.md has nothing under "### Upgrading" of Unreleased: say what an operator has to do, or that there is nothing',
    )
  }
  return notes.trim()
}

/** The text under a heading of the notes; empty if there is none. */
const partOf = (notes: string, heading: string): string =>
  (notes.split(`### ${heading}\n`)[1] ?? '').split(/^### /m, 1)[0]?.trim() ?? ''

/**
 * Returns the changelog with its unreleased section moved under a version and a day, and a new one before it that keeps the schema.
 *
 * @throws Error if the section names no schema
 */
export function closeUnreleased(changelog: string, version: string, day: string): string {
  const [schema] = SCHEMA.exec(changelog.slice(changelog.indexOf(UNRELEASED)).split(/^## \d/m)[0] ?? '') ?? []
  if (!schema) throw new Error('CHANGELOG.md has no line "Schema: NNNN" under "### Upgrading" of Unreleased')
  const next = `${UNRELEASED}\n### Upgrading\n\n${schema}\n\n### Changes\n`
  return changelog.replace(UNRELEASED, `${next}\n## ${version} - ${day}\n`)
}
