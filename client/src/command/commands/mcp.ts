import type { Readable, Writable } from 'node:stream'
import { defaultJournalPath } from '../../file-store/path.ts'
import { serviceAddress } from '../../service/address.ts'
import { shellWord } from '../../service/text.ts'
import type { Command, Context } from '../context.ts'
import { PROGRAM } from '../npx.ts'

/** Many programs give a tool 60 seconds, and the last try may take 30. A model needs the answer, not a timeout. */
const WAIT_BUDGET_MS = 25_000

export const mcp: Command = {
  name: 'mcp',
  positionals: [],
  options: ['trust-model', 'service', 'journal', 'wait'],
  summary: 'serve a model’s program, such as a chat app, over MCP',
  details: [
    'Speaks the Model Context Protocol on stdin and stdout, until stdin ends. To',
    'get the customer’s yes, it asks through that program. If the program cannot',
    'ask, the customer runs `placard-agent approve` in a terminal. Without --wait, a',
    'tool retries for 25 seconds, because many programs wait for a tool for 60.',
    '',
    '--trust-model is for programs that ask the person themselves. With it, a web',
    'page that misleads the model can make it publish any address in your name.',
  ],
  example: 'placard-agent mcp --service https://placard.example',
  async run(context) {
    const service = serviceAddress(context.service())
    // No other command needs MCP's library.
    const { serve } = await import('../../mcp/serve.ts')
    const exitCode = await serve(
      {
        service,
        client: context.client(service, { waitBudgetMs: WAIT_BUDGET_MS }),
        store: context.store(),
        trustsModel: context.has('trust-model') || context.io.env.PLACARD_TRUST_MODEL === '1',
        commandFor: (...words) => commandFor(context, words),
      },
      {
        stdin: context.io.stdin as Readable,
        stdout: context.io.stdout as unknown as Writable,
        stderr: context.io.stderr,
      },
    )
    return { text: [], json: undefined, exitCode }
  },
}

/** Returns a command as the person can type it in a terminal, where none of this process's environment is set. */
function commandFor(context: Context, words: readonly string[]): string {
  const { name } = context.store()
  const journal = name === usualJournal() ? [] : ['--journal', name]
  const npx = PROGRAM.length === 1 && context.io.env.npm_command === 'exec' ? ['npx'] : []
  return [...npx, ...PROGRAM, ...words, ...journal].map(shellWord).join(' ')
}

function usualJournal(): string | undefined {
  try {
    return defaultJournalPath({})
  } catch {
    // Without a home folder, there is none.
    return undefined
  }
}
