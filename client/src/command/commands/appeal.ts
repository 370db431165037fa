import { checkContestable, checkNotAppealed, checkStatement, savedAppeal } from '../../submissions/appeal.ts'
import { approvalOf } from '../approval.ts'
import type { Command, Context } from '../context.ts'
import { inCommandWords } from '../print.ts'
import { readDecision, wrongUsage } from '../read-arguments.ts'

export const appeal: Command = {
  name: 'appeal',
  positionals: ['[DESTINATION|ID]'],
  options: ['statement', 'user-approved', 'approved-by', 'service', 'journal', 'wait'],
  summary: 'appeal a decision once, after the customer’s yes',
  details: [
    'The statement says in the customer’s words, in at most 1,000 characters, why',
    'the decision is wrong. A person reads it and decides. It is shown first, and',
    'only the customer may say yes. --user-approved skips the question, for an',
    'agent whose customer said yes to exactly this statement. It is recorded in the',
    'journal.',
    '',
    'The statement is saved in the journal before it is sent. After any failure,',
    'run the same command again, with or without --statement: the appeal counts',
    'once. With `--statement -`, the statement is read from a pipe, and the command',
    'cannot ask for a yes.',
  ],
  example: 'placard-agent appeal shop.example --statement "The shop is ours, and open."',
  async run(context) {
    const given = await statementOf(context)
    const { service, which } = await readDecision(context)
    const client = context.client(service)
    const found = await client.decision(which)
    checkContestable(found)
    const kept = await savedAppeal(context.store(), service, found.id)
    const statement = given ?? kept?.statement
    if (statement === undefined) throw wrongUsage('Add --statement: why the decision is wrong.')
    checkNotAppealed(found, statement, kept)
    const wish = { service, website: found.about.website ?? service, decisionId: found.id, statement }
    const approval = kept?.statement === statement ? kept.approval : await approvalOf(context, wish)
    const contested = await client.appeal({ decision: found.id, statement, userApproved: true, approval })
    return {
      text: ['The appeal is sent.', '', inCommandWords(contested.contest.how)],
      json: contested,
      next: `placard-agent decision ${found.id}`,
    }
  },
}

/** Longer than any valid statement, so that the message can say by how much. */
const READ_MAX_LENGTH = 10_000

/** Returns the statement of `--statement`, checked. */
async function statementOf({ value, io }: Context): Promise<string | undefined> {
  const given = value('statement')
  if (given === undefined) return undefined
  if (given === '-' && io.stdin.isTTY) throw wrongUsage('At a terminal, type the statement after --statement.')
  const statement = given === '-' ? await readAll(io.stdin) : given
  checkStatement(statement)
  return statement
}

async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  input.setEncoding('utf8')
  for await (const chunk of input) {
    text += chunk
    if (text.length > READ_MAX_LENGTH) break
  }
  return text.trim()
}
