import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Allowances } from '../../allowances/allowances.ts'
import type { Links } from '../../http/links.ts'
import type { ServiceKeys } from '../../keys/service-keys.ts'
import type { Store } from '../../storage/store.ts'
import type { ConsoleView } from './frame.tsx'

/** What the console's routes need. */
export interface ConsoleDependencies {
  store: Store
  links: Links
  allowances: Allowances
  /** The newest derives reissued links. */
  serviceKeys: ServiceKeys
  clock: () => number
}

/** A request by an operator in the console. */
export interface Visit {
  view: ConsoleView
  request: FastifyRequest
  reply: FastifyReply
}
