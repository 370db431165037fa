/** An invalid setting. The message is one line and names the setting. */
export class BadSetting extends Error {
  constructor(setting: string, problem: string) {
    // The message may repeat a value of several lines.
    super(`${setting} ${problem.replace(/[\r\n]+/g, ' ')}`)
    this.name = 'BadSetting'
  }
}

/** The groups of settings, in the order of docs and help, each with the sentence that introduces it. */
export const GROUPS = {
  first: { title: 'First', about: 'Decide on these before you open the site.' },
  often: { title: 'Often', about: 'Many sites need some of these.' },
  rarely: { title: 'Rarely', about: 'The defaults suit nearly every site.' },
  tests: { title: 'Tests only', about: 'For tests and demos. Leave them unset on a site for the public.' },
  old: { title: 'Old names', about: 'They work until 0.4, with a warning at the start.' },
} as const

/** One environment variable. */
export type Row = {
  group: keyof typeof GROUPS
  meaning: string
  /** Whether a value can hold a password or a key, so that no output may repeat it. */
  isSecret?: true
  /** Parses a value. @throws Error whose message continues after the setting's name: "must be …" */
  parse(value: string): unknown
} & (
  | {
      default: string
    }
  | {
      /** What it means to leave it unset, as text: by default, "none". Its value is then undefined. */
      unset?: string
    }
)

/** The parsed values of some settings. */
export type Parsed<Rows extends Record<string, Row>> = {
  [S in keyof Rows]: ReturnType<Rows[S]['parse']> | (Rows[S] extends { default: string } ? never : undefined)
}
