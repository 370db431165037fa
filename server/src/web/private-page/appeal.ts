import { appealDecision } from '../../appeals/appeal.ts'
import { hidingDecision } from '../../decisions/hiding.ts'
import { Problem } from '../../http/problem.ts'
import { typedStatement } from '../decisions/statement.tsx'
import { goBack, type LinkAction, sendPrivatePage } from './acts.ts'
import { NOT_HIDDEN, refusedAppeal } from './notices.ts'

/** Contests the decision by which the listing is down. */
export const appeal: LinkAction = async (deps, visit) => {
  const { store } = deps
  const id = await hidingDecision(store.db, visit.claim.listing.slug)
  if (id === undefined) return sendPrivatePage(deps, visit, NOT_HIDDEN)
  try {
    await appealDecision(store, id, typedStatement(visit.form), 'owner', visit.now)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return sendPrivatePage(deps, visit, refusedAppeal(error))
  }
  return goBack(visit, 'appeal')
}
