/** A thread that reads one blocklist, because a million lines would block the service. */
import { createReadStream } from 'node:fs'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadBlocklist } from '../../domain/review/reviewers/blocklists.ts'
import { HostSetBuilder } from '../../domain/review/reviewers/host-set.ts'

const LINE_MAX_LENGTH = 64 * 1024

/** @throws Error whose message continues after the file's name */
async function read(path: string): Promise<ReadBlocklist> {
  const hosts = new HostSetBuilder()
  let [understood, strange, rest] = [0, 0, '']
  const take = (line: string) => {
    const found = hostsInLine(line)
    if (found === undefined) strange++
    else if (found.length > 0) understood++
    for (const host of found ?? []) hosts.add(host)
  }
  let isEmpty = true
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    isEmpty = false
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_MAX_LENGTH || chunk.includes('\0')) throw new Error('is not a text file')
    for (const line of lines) take(line)
  }
  if (isEmpty) throw new Error('is empty')
  take(rest)
  if (strange > understood) throw new Error(`is not a list of hosts: invalid lines: ${strange}`)
  return { hosts: hosts.build(), endsLine: rest === '' }
}

/** `isIP`, asked only of what begins like an address. */
const isAddress = (word: string) => /^[\d:]/.test(word) && isIP(word) !== 0

/** The options of an adblock rule that still mean the whole website. */
const WHOLE_SITE = new Set(['all', 'doc', 'document', 'important'])

/** Letters, digits, dots and hyphens, and at least one character beyond ASCII. */
const INTERNATIONAL = /^[a-z0-9_.-]*[\u0080-\u{10ffff}][a-z0-9_.\u0080-\u{10ffff}-]*$/u

const NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/

try {
  const list = await read(workerData as string)
  parentPort?.postMessage(list, [list.hosts.table.buffer])
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  parentPort?.postMessage({ problem: code === undefined ? message : `cannot be read: ${message}` })
}

/**
 * Returns the hosts that a line of a blocklist names: `0.0.0.0 evil.com more.com`, `evil.com`, `*.evil.com` or
 * `||evil.com^`, with comments after `#`. Empty for blank lines, comments and the names of this machine.
 *
 * @returns undefined for a line of another kind
 */
export function hostsInLine(line: string): string[] | undefined {
  const text = line.trim()
  if (text === '' || text[0] === '#' || text[0] === '!' || text[0] === '[') return []
  if (text.startsWith('||')) return hostInRule(text)
  const comment = text.indexOf('#')
  const words = (comment < 0 ? text : text.slice(0, comment).trimEnd()).split(/[ \t]+/)
  const names = isAddress(words[0] as string) ? words.slice(1) : words.length === 1 ? words : undefined
  if (names === undefined) return undefined
  const hosts: string[] = []
  for (const name of names) {
    const host = hostOf(name)
    if (host === undefined) return undefined
    if (host !== '') hosts.push(host)
  }
  return hosts
}

function hostInRule(rule: string): string[] | undefined {
  const [host = '', options = ''] = rule.slice(2).split('^', 2)
  if (
    options !== '' &&
    !options
      .replace('$', '')
      .split(',')
      .every(option => WHOLE_SITE.has(option))
  ) {
    return undefined
  }
  const name = hostOf(host)
  return name ? [name] : undefined
}

/** @returns empty for a name without a dot and for an address, undefined for what is not a name */
function hostOf(written: string): string | undefined {
  let name = written.toLowerCase()
  if (name.startsWith('*.')) name = name.slice(2)
  else if (name[0] === '.') name = name.slice(1)
  if (name.endsWith('.')) name = name.slice(0, -1)
  // `domainToASCII` would silently cut off a path.
  if (INTERNATIONAL.test(name)) name = domainToASCII(name)
  if (!NAME.test(name) || name.length > 253) return isAddress(written) ? '' : undefined
  return name.includes('.') && !isAddress(name) ? name : ''
}
