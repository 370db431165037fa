import { usageError } from '../../error.ts'
import { type AskedApproval, approve as approveAsked, findAsked } from '../../file-store/approvals.ts'
import { utcText } from '../../service/text.ts'
import { approvalWords, isAppeal } from '../../submissions/approval-text.ts'
import { askForApproval } from '../approval.ts'
import type { Command } from '../context.ts'
import { wrongUsage } from '../read-arguments.ts'

export const approve: Command = {
  name: 'approve',
  positionals: ['CODE'],
  options: ['approved-by', 'journal'],
  summary: 'approve or decline what an agent wants to do over MCP',
  details: [
    'For agents whose program cannot ask you itself. Shows what would be published,',
    'or the statement of an appeal. To agree, type the host name of the website.',
    'Then the agent may do exactly that, once, until the code expires. Only the',
    'customer may agree, at a terminal.',
  ],
  example: 'placard-agent approve K7QM2XPD',
  async run(context) {
    const [code] = context.positionals
    if (code === undefined) throw wrongUsage('Name the code that the agent received.')
    const { io, value } = context
    if (!io.stdin.isTTY || !io.stderr.isTTY) throw forPeopleOnly()
    const journal = context.store().name
    const asked = await findAsked(journal, code)
    if (!asked) throw unknownCode(journal)
    await askForApproval(context, asked, hostOf(asked))
    if (asked.expiresAt <= Date.now() || !(await approveAsked(journal, asked, value('approved-by'))))
      throw unknownCode(journal)
    const { code: _, by: __, ...approved } = asked
    return {
      text: [`Approved. Tell the agent to ${approvalWords(asked).act} again before ${utcText(asked.expiresAt)}.`],
      json: approved,
    }
  },
}

/** The host name that the person types. Typing it shows that they have read it, which a yes would not. */
function hostOf(asked: AskedApproval): string {
  const website = isAppeal(asked) ? asked.website : asked.destination
  return (URL.canParse(website) ? new URL(website).hostname : website).toLowerCase()
}

const forPeopleOnly = () =>
  usageError(
    'not_a_terminal',
    'Only a person may approve, and this is not a terminal.',
    'Let the customer run it in a terminal.',
  )

const unknownCode = (journal: string) =>
  usageError(
    'unknown_code',
    `There is no pending approval with this code next to the journal ${journal}.`,
    'A code is valid once, for an hour. Let the agent ask again for a new code. If the agent uses another journal, name it with --journal.',
  )
