import {
  CAPABILITIES_PATH,
  type Capabilities,
  type CheckLimits,
  capabilitiesOf,
  capabilitiesSchema,
  type PublishLimits,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { JSON_TYPE, sendPublic, type Tagged, tagged } from '../../platform/http/send.ts'

export interface CapabilitiesDependencies {
  limits: PublishLimits & CheckLimits
  submissionsEndAt: number | undefined
  links: Links
  clock: () => number
}

/** How long the reply may be cached, but never past the end of the window. */
const KEEP_SECONDS = 60

/** Adds GET /api/v1/agent/capabilities (spec 4.2). */
export function capabilitiesRoute(app: FastifyInstance, deps: CapabilitiesDependencies): void {
  // The reply changes only when the window closes, so each of the two is serialised once. Node sends headers and a short
  // text in one piece, which takes less than a buffer after them.
  const serialised = new Map<boolean, Tagged>()
  app.get(CAPABILITIES_PATH, { schema: capabilitiesSchema, ...OPEN }, (request, reply) => {
    const leftMs = windowLeftMs(deps)
    const available = leftMs > 0
    let body = serialised.get(available)
    if (body === undefined) {
      body = tagged(JSON.stringify(capabilities(deps, available)))
      serialised.set(available, body)
    }
    const keepSeconds = available ? Math.min(KEEP_SECONDS, Math.floor(leftMs / 1000)) : KEEP_SECONDS
    sendPublic(request, reply, body, { cache: `public, max-age=${keepSeconds}`, mediaType: JSON_TYPE })
  })
}

/** How long the submission window is still open. */
const windowLeftMs = ({ submissionsEndAt, clock }: CapabilitiesDependencies): number =>
  (submissionsEndAt ?? Number.POSITIVE_INFINITY) - clock()

/** Returns what the service offers now. */
export function capabilities(deps: CapabilitiesDependencies, available = windowLeftMs(deps) > 0): Capabilities {
  const { limits, submissionsEndAt, links } = deps
  return capabilitiesOf({ limits, agentGuide: links.agentGuide, submissionsEndAt, available })
}
