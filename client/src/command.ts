import {
  type Arguments,
  publishRequest,
  quoteRequest,
  readArguments,
  serviceOf,
  waitBudgetMs,
} from './arguments.ts'
import { PlacardClient } from './client.ts'
import { asPlacardError } from './error.ts'
import { HELP } from './help.ts'
import { defaultJournalPath } from './journal-path.ts'
import {
  capabilitiesText,
  errorText,
  publicationJson,
  publicationText,
  quoteText,
  retryText,
} from './print.ts'
import { VERSION } from './version.ts'

const EXIT_CODES = { refused: 1, usage: 2, postponed: 3, unknown: 3 } as const

/** Runs `placard-agent` with these arguments and prints. @returns the exit code (see `help.ts`) */
export async function run(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    process.stdout.write(await output(readArguments(argv), env))
    return 0
  } catch (thrown) {
    // A bug in this program says nothing about the request, so it must not exit with the code of a refusal.
    const error = asPlacardError(thrown, 'unknown')
    process.stderr.write(argv.includes('--json') ? json(error) : errorText(error))
    return EXIT_CODES[error.kind]
  }
}

async function output(given: Arguments, env: NodeJS.ProcessEnv): Promise<string> {
  const { values, words } = given
  if (values.version) return values.json ? json({ version: VERSION }) : `${VERSION}\n`
  const command = words[0] ?? 'help'
  if (values.help || command === 'help') return values.json ? json({ help: HELP }) : HELP
  if (command === 'quote') return quote(given, env)
  if (command === 'publish') return publish(given, env)
  const capabilities = await clientFor(given, env).capabilities()
  return values.json ? json(capabilities) : capabilitiesText(capabilities)
}

async function quote(given: Arguments, env: NodeJS.ProcessEnv): Promise<string> {
  const request = quoteRequest(given)
  const answer = await clientFor(given, env).quote(request)
  return given.values.json ? json(answer) : quoteText(answer, request)
}

async function publish(given: Arguments, env: NodeJS.ProcessEnv): Promise<string> {
  const publication = await clientFor(given, env).publish(publishRequest(given))
  const show = given.values['show-private-link'] === true
  return given.values.json ? json(publicationJson(publication, show)) : publicationText(publication, show)
}

function clientFor(given: Arguments, env: NodeJS.ProcessEnv): PlacardClient {
  const waitMs = waitBudgetMs(given)
  return new PlacardClient({
    service: serviceOf(given, env),
    journalPath: given.values.journal ?? defaultJournalPath(env),
    ...(waitMs === undefined ? {} : { waitBudgetMs: waitMs }),
    // With --json, stderr holds only the error line.
    ...(given.values.json ? {} : { onRetry: (error, ms) => process.stderr.write(retryText(error, ms)) }),
  })
}

const json = (value: unknown) => `${JSON.stringify(value)}\n`
