import { type Category, DISPLAY_DAYS } from '@placard/contract'
import { skillText } from '../../agents/discovery/documents.ts'
import type { Destination } from '../../domain/destinations/destination.ts'
import type { Links } from '../../platform/http/links.ts'

interface PromptProps {
  destination: Pick<Destination, 'url'>
  category: Category
  links: Links
}

/** A prompt for the customer’s own agent, with the chosen values marked. The agent guide has the details. */
export const Prompt = ({ destination, category, links }: PromptProps) => (
  <pre class="prompt" id="prompt">
    {`List my website on ${links.site.name}, a public notice board.\n\nAddress: `}
    <b>{destination.url}</b>
    {'\nCategory: '}
    <b>{category}</b>
    {`\n\n${whatToDo(links)}`}
  </pre>
)

const whatToDo = ({ agentGuide, base, site }: Links) => `Read ${agentGuide} and follow it.

Before you send anything, tell me the address, that the listing is public for ${DISPLAY_DAYS} days, and that the rules are at ${base}/rules. Then wait until I say yes. This message doesn’t count.

Save the key, the secret and the body in a private place before you send them. If you don’t know whether it worked, send exactly those again. If it is refused, tell me why and stop.

Once it is listed, show me the public page. Give the private link to me only.${site.sellsPlaces ? ' Don’t buy anything.' : ''}`

/** The request as one command of the client. */
export const Command = ({ destination, category, links }: PromptProps) => (
  <pre class="prompt" id="command">
    {`npx -y ${links.client} publish `}
    <b>{shellWord(destination.url)}</b>
    {' --category '}
    <b>{`"${category}"`}</b> <span class="flag">--user-approved</span>
    {` --service ${links.base}`}
  </pre>
)

/** One word for a shell, whatever an address holds. */
const shellWord = (text: string) => (/^[\w:/.~%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

export const Skill = ({ links }: Pick<PromptProps, 'links'>) => (
  <pre class="prompt" id="skill">
    {skillText(links)}
  </pre>
)

/** Where agents look for the user’s own skills, according to their documentation. */
export const SKILL_FOLDERS = [
  ['Claude Code', '~/.claude/skills/placard/SKILL.md'],
  ['Codex', '~/.agents/skills/placard/SKILL.md'],
  ['Cursor', '~/.cursor/skills/placard/SKILL.md'],
  ['Gemini CLI', '~/.gemini/skills/placard/SKILL.md'],
] as const
