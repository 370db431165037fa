import type { PlacardClient } from '../client.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { OptionName } from './options.ts'

/** Where a stream leads. */
interface Out {
  write(text: string): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
  once?(event: 'error', listener: () => void): unknown
}

/** Everything outside the command, so that tests can replace it. */
export interface Io {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  stdout: Out
  stderr: Out
}

export interface Context {
  io: Io
  /** The arguments after the command's name. */
  positionals: string[]
  /** An option's value, or undefined. */
  value(name: OptionName): string | undefined
  has(name: OptionName): boolean
  /** The service of `--service` or `PLACARD_SERVICE`. Throws without one. */
  service(): string
  store(): SubmissionStore
  commands: readonly Command[]
  /** Prints a part of the result at once: text for people, or with --json, a line for programs. */
  print(text: string[], json: unknown): void
  /** A client for a service, with the journal, and progress on stderr unless it is quiet. */
  client(service: string, options?: { isQuiet?: boolean; waitBudgetMs?: number }): PlacardClient
}

/** The result of a command: text for people and a value for programs, or neither. `exitCode` is 0 unless given. */
export interface Result {
  text: string[]
  json: unknown
  exitCode?: number
  /** The next command, if there is an obvious one. */
  next?: string | undefined
}

/** One command of `placard-agent`. */
export interface Command {
  name: string
  /** Arguments as the help shows them, such as `DESTINATION`. `[DESTINATION]` is optional. */
  positionals: readonly string[]
  /** All values of its first word, for the completion of a shell. */
  choices?: readonly string[]
  options: readonly OptionName[]
  /** One short phrase for the list of commands. */
  summary: string
  /** Lines of at most 78 characters. */
  details: readonly string[]
  example: string
  run(context: Context): Promise<Result>
}
