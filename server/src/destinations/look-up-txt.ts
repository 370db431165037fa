import { answersTo, askDns, type DnsOptions } from './ask-dns.ts'

const RECORDS_MAX = 20

/**
 * The texts of the TXT records of a name, each put together from its pieces, at most 20; none where there is no such
 * name. Undefined when the DNS could not be asked just now.
 */
export async function lookUpTxt(name: string, options: DnsOptions): Promise<string[] | undefined> {
  const { answers, failure } = await askDns(options, resolver => answersTo(resolver.resolveTxt(name)))
  return failure === undefined ? answers.slice(0, RECORDS_MAX).map(pieces => pieces.join('')) : undefined
}
