import { type Config, isLoopback } from '../config.ts'

/** What an operator should know about the settings, though the service runs with them. */
export function warningsAbout({ connectTo, baseUrl, supportUrl, isMoneyPlay }: Config): string[] {
  const isPublic = baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)
  return [
    ...(connectTo.length > 0
      ? [
          'FETCH_CONNECT_TO is set: the page fetcher skips DNS and the address check for these hosts. Never set it in production.',
        ]
      : []),
    ...(isPublic && supportUrl === undefined
      ? ['SUPPORT_URL is not set: pages tell people that there is no contact address.']
      : []),
    ...(isMoneyPlay
      ? ['ALLOW_TEST_MONEY is set: anybody can take places for free, and every page says so.']
      : []),
  ]
}
