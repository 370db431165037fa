import { answersTo, askDns, type DnsOptions } from './ask-dns.ts'

const RECORDS_MAX = 20
/** Several times what any of ours has. */
const TEXT_MAX_LENGTH = 1_000

/**
 * The texts of the TXT records of a name, each put together from its pieces, at most 20 of 1,000 characters; none where there is no such
 * name. Undefined when the DNS could not be asked just now.
 */
export async function lookUpTxt(name: string, options: DnsOptions): Promise<string[] | undefined> {
  const { answers, failure } = await askDns(options, resolver => answersTo(resolver.resolveTxt(name)))
  return failure === undefined
    ? answers.slice(0, RECORDS_MAX).map(pieces => pieces.join('').slice(0, TEXT_MAX_LENGTH))
    : undefined
}
