import { type QueueFilter, WAITING } from '../../console/queue.ts'
import { REPORT_REASONS } from '../../moderation/reports.ts'
import type { HostRange } from '../../review/blocked-hosts.ts'

/** A filter from a form or a query. What is no filter is left out. */
export function filterFrom({ waiting, reason }: Record<string, unknown>): QueueFilter {
  const kind = WAITING.find(each => each === waiting)
  const isReason =
    typeof reason === 'string' && (Object.hasOwn(REPORT_REASONS, reason) || reason === 'failed_review')
  return {
    ...(kind && { waiting: kind }),
    ...(isReason && { reason }),
  }
}

/** Address of the queue under a filter. */
export function queuePath({ waiting, reason }: QueueFilter, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(waiting && { waiting }), ...(reason && { reason }), ...more })
  return `/console${query.size > 0 ? `?${query}` : ''}`
}

/** Where a host is blocked, and what is listed of it is seen. */
export const blocksPath = ({ host, subdomains }: HostRange): string =>
  `/console/blocks?${new URLSearchParams({ host, ...(subdomains && { below: 'yes' }) })}`
