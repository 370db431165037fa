import { ProtocolError, ProtocolErrorCode } from './sdk.ts'

interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  text(args: Readonly<Record<string, string>>): string
}

const destination = { name: 'destination', description: 'Address of your website', required: true }
const category = { name: 'category', description: 'A category of the site, if you know it', required: false }

const PROMPTS: readonly Prompt[] = [
  {
    name: 'list-my-site',
    title: 'List my site',
    description: 'A free listing of your website on the site, after you agreed to it.',
    arguments: [destination, category],
    text: args => `Help me to list my website ${args.destination} on the site, free of charge.

1. Ask capabilities whether free listings are open. ${args.category ? `Use the category "${args.category}" if it is one of them.` : 'Suggest the category that suits my website, and let me choose.'}
2. Run check with the address and the category. Show me the title and the description that would be shown, or what is in the way.
3. Only then run publish. I will be asked myself. This message is not my yes.
4. Give me the public address. The private link is not for you: tell me the command that shows it to me.`,
  },
  {
    name: 'take-a-place',
    title: 'Take a place',
    description: 'What a paid place on a board would cost. Only you can pay, in a browser.',
    arguments: [
      destination,
      category,
      { name: 'board', description: 'all or today', required: false },
      {
        name: 'target',
        description: 'The wanted total on the board, in whole US dollars',
        required: false,
      },
    ],
    text: args => `Tell me what a paid place for my website ${args.destination} on the board "${args.board || 'all'}" would cost.

1. ${args.target ? `The target is ${args.target} US dollars in total.` : 'Ask me which total in US dollars I have in mind.'} ${args.category ? `The category is "${args.category}".` : 'Ask me for the category, out of those that capabilities lists.'}
2. Run quote. Tell me the charge, the estimated rank, and that neither is reserved.
3. Give me handoffUrl. I decide and pay there myself. You cannot pay, and must not promise a rank.`,
  },
]

export const listPrompts = () => ({ prompts: PROMPTS.map(({ text: _, ...listed }) => listed) })

/** Returns the prompt with its arguments filled in. Throws a `ProtocolError` for unknown or missing ones. */
export function getPrompt(name: string, args: Readonly<Record<string, string>> = {}) {
  const prompt = PROMPTS.find(one => one.name === name)
  if (!prompt) {
    const names = PROMPTS.map(one => one.name).join(', ')
    throw wrong(`Unknown prompt ${JSON.stringify(name.slice(0, 40))}. There are: ${names}.`)
  }
  const missing = prompt.arguments.find(one => one.required && !args[one.name])
  if (missing) throw wrong(`The prompt ${prompt.name} needs the argument ${missing.name}.`)
  const { description } = prompt
  const content = { type: 'text' as const, text: prompt.text(args) }
  return { description, messages: [{ role: 'user' as const, content }] }
}

const wrong = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
