import type { Config } from '../../../platform/config/config.ts'
import type { Links } from '../../../platform/http/links.ts'
import { Problem } from '../../../platform/http/problem.ts'
import { VERSION } from '../../../platform/lib/package.ts'
import type { Destination } from '../../destinations/destination.ts'
import { createGuardedFetcher, type WantedDocument } from '../fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../fetcher/limits.ts'
import { parseImageAddress } from '../image-address.ts'
import type { LoadPicture } from './moderation-api.ts'

/** A fetcher of its own, so that publishing never waits for pictures. */
const PAGE_PICTURE_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 8, waitMs: 1_000, totalMs: 2_000 }

/** The types that moderation endpoints read. */
const PICTURE: WantedDocument = {
  accepts: ['image/png', 'image/jpeg', 'image/jpg', 'image/webp', 'image/gif'],
  bodyMaxBytes: 1024 * 1024,
}

/**
 * Creates the loader of pictures for reviewers. A page may name any address, so only the guarded fetcher opens it. A
 * reviewer that got the address would be a proxy into its own network.
 */
export function createPictureLoader({ dnsServers, connectTo }: Config, links: Links): LoadPicture {
  const limits = PAGE_PICTURE_FETCH_LIMITS
  const fetcher = createGuardedFetcher({ dnsServers, connectTo, links, version: VERSION, limits })
  return async (address, stop) => {
    const destination = destinationOf(address, links.hostname)
    if (!destination) return undefined
    const fetched = await fetcher.visit(destination, get => get(destination, PICTURE), { stop })
    if (fetched instanceof FetchEnded) return undefined
    const mediaType = mediaTypeOf(fetched.body)
    return mediaType && `data:${mediaType};base64,${fetched.body.toString('base64')}`
  }
}

function destinationOf(address: string, ownHost: string): Destination | undefined {
  try {
    return parseImageAddress(address, ownHost)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** By its first bytes, because a server may declare any type. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : undefined
}
