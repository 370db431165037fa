import { answersTo, askDns, type DnsOptions } from './ask-dns.ts'

const RECORDS_MAX = 20
/** Several times the length of ours. */
const TEXT_MAX_LENGTH = 1_000

/**
 * The TXT records of a name, each joined from its pieces, at most 20 of 1,000 characters; none if there is no such
 * name. Undefined if the DNS cannot be asked right now.
 */
export async function lookUpTxt(name: string, options: DnsOptions): Promise<string[] | undefined> {
  const { answers, failure } = await askDns(options, resolver => answersTo(resolver.resolveTxt(name)))
  return failure === undefined
    ? answers.slice(0, RECORDS_MAX).map(pieces => pieces.join('').slice(0, TEXT_MAX_LENGTH))
    : undefined
}
