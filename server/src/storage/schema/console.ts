/** How operators enter the console, and who is in. */
export interface ConsoleTables {
  console_link: ConsoleLinkTable
  console_session: ConsoleSessionTable
  console_operator: ConsoleOperatorTable
}

/** A link that opens the console once. It is deleted as it is used. */
interface ConsoleLinkTable {
  /** SHA-256 of the token in the link. */
  hash: string
  /** Of the operator. */
  name: string
  endsAt: number
}

/** An operator's session. It is deleted as it is ended. */
interface ConsoleSessionTable {
  /** SHA-256 of the token in the cookie. */
  hash: string
  name: string
  endsAt: number
  /** What was done last and can be undone, as JSON: see `console/done.ts`. */
  lastAct: string | null
}

/** Whoever was given a link, until all of theirs is ended. */
interface ConsoleOperatorTable {
  name: string
  /** When the last link was made. */
  linkedAt: number
}
