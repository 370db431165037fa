import type { Decision } from '../../service/replies.ts'
import { utcText } from '../../service/text.ts'
import type { Command } from '../context.ts'
import { inCommandWords } from '../print.ts'
import { readDecision } from '../read-arguments.ts'

export const decision: Command = {
  name: 'decision',
  positionals: ['[DESTINATION|ID]'],
  options: ['service', 'journal', 'wait'],
  summary: 'show why a website was refused or taken down',
  details: [
    'Shows the statement of reasons of a decision, by its id or by the website: why',
    'its listing is up or down, or why it was last refused. The journal must',
    'contain the submission. After an appeal, it shows the outcome. If a refusal is',
    'reversed, `placard-agent publish` sends the same submission again.',
  ],
  example: 'placard-agent decision shop.example',
  async run(context) {
    const { service, which } = await readDecision(context)
    const found = await context.client(service).decision(which)
    return { text: decisionText(found), json: found, next: nextOf(found) }
  },
}

const BY: Record<string, string> = {
  automatic: 'automatically',
  operator: 'by a person who runs the site',
  owner: 'by the owner',
}

function decisionText(found: Decision): string[] {
  const { about, ground, facts: { explanation, ...facts } = {}, scope, contest, appeal } = found
  const relied = Object.keys(facts).length > 0 ? JSON.stringify(facts, null, 2).split('\n') : []
  const { outcome } = appeal ?? {}
  return [
    found.decision,
    '',
    `Decision     ${found.id}`,
    `Taken        ${utcText(found.decidedAt)}, ${BY[found.decidedBy] ?? found.decidedBy}`,
    ...(about.website ? [`About        ${about.website}`] : []),
    ...(about.productUrl ? [`Public page  ${about.productUrl}`] : []),
    `Reason       ${found.reason}`,
    ...(typeof explanation === 'string' ? [`Why          ${explanation}`] : []),
    `${ground.kind === 'law' ? 'Law ' : 'Rule'}         ${ground.text} (${ground.id}, version ${ground.version}: ${ground.url})`,
    `Reach        ${scope.territory} ${scope.duration}`,
    ...(appeal ? [`Appeal       ${utcText(appeal.receivedAt)}${quoted(appeal.statement)}`] : []),
    ...(outcome ? [`Its outcome  ${outcome.result}${quoted(outcome.explanation)}`] : []),
    ...(relied.length > 0 ? ['', 'It is based on', ...relied.map(line => `  ${line}`)] : []),
    '',
    inCommandWords(contest.how),
  ]
}

const quoted = (text: string | undefined) => (text === undefined ? '' : `: ${text}`)

function nextOf({ id, kind, contest, appeal }: Decision): string | undefined {
  if (contest.isPossible) return `placard-agent appeal ${id} --statement "WHY IT IS WRONG"`
  const isReversed = kind === 'refuse' && appeal?.outcome?.result === 'reversed'
  return isReversed ? 'placard-agent resume' : undefined
}
