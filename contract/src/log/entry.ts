/** The entries of a site's log: one for each decision, and for each effect on a board. */
import { fromBase64 } from './note.ts'
import { HASH_BYTES } from './tree.ts'

type FieldName = Exclude<keyof LogEntry, 'index' | 'time' | 'kind'>

/** The required and the optional fields of each kind of entry. */
const KINDS: Record<string, { needs: FieldName[]; may?: FieldName[] }> = {
  began: { needs: ['origin', 'replayed', 'vkey'] },
  key: { needs: ['vkey'] },
  recovered: { needs: ['lostSize', 'lostRoot', 'origin'], may: ['vkey'] },
  ...ofKinds(['listed', 'withdrawn', 'hidden', 'restored', 'ended', 'verified', 'claimed'], {
    needs: ['listing', 'private'],
  }),
  decided: { needs: ['private'] },
  ...ofKinds(['counted', 'refunded', 'disputed', 'won_back', 'placed', 'left'], {
    needs: ['board', 'listing', 'changeCents', 'totalCents', 'shown'],
    may: ['reachedAt'],
  }),
  drawn: { needs: ['board', 'listing', 'place'] },
}

function ofKinds<T>(kinds: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(kinds.map(kind => [kind, value]))
}

/** An entry of the log. Times are ISO 8601 in UTC with milliseconds. */
export interface LogEntry {
  index: number
  /** When it was decided, or took effect. */
  time: string
  kind: string
  /** `all`, or a UTC day as YYYY-MM-DD. */
  board?: string
  /** The id of a listing. */
  listing?: number
  changeCents?: number
  /** What counts for the listing on the board after the change, whether it is shown or not. */
  totalCents?: number
  /** When the total was reached, which decides between equal totals. Left out if the total is 0. */
  reachedAt?: string
  /** Whether the listing has its place on the board after the change. */
  shown?: boolean
  /** The last time when no decision or effect was pending. */
  notBefore?: string
  /** Base64 of the SHA-256 of a salt and the private text of a decision. */
  private?: string
  /** The place of a drawn listing. Place 1 has the lowest lot. */
  place?: number
  /** The size and the root of the last checkpoint before the log broke. */
  lostSize?: number
  lostRoot?: string
  /** The name of the log that begins here. */
  origin?: string
  /** Whether the site is older than its log, so that its earlier history follows. */
  replayed?: boolean
  /** A key that signs the log. */
  vkey?: string
}

const isTime = (text: string): boolean => {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString() === text
}

const isDay = (text: string) => text.length === 10 && isTime(`${text}T00:00:00.000Z`)

const isHash = (value: unknown) => typeof value === 'string' && fromBase64(value)?.length === HASH_BYTES
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTimeText = (value: unknown) => typeof value === 'string' && isTime(value)
const isFlag = (value: unknown) => typeof value === 'boolean'

/** Every field, in the order of the text, with what its value must be. */
const FIELDS: Record<keyof LogEntry, (value: unknown) => boolean> = {
  index: isCount,
  time: isTimeText,
  kind: isText,
  board: value => value === 'all' || (typeof value === 'string' && isDay(value)),
  listing: isCount,
  changeCents: value => Number.isSafeInteger(value),
  totalCents: isCount,
  reachedAt: isTimeText,
  shown: isFlag,
  notBefore: isTimeText,
  private: isHash,
  place: value => isCount(value) && value !== 0,
  lostSize: isCount,
  lostRoot: isHash,
  origin: isText,
  replayed: isFlag,
  vkey: isText,
}
const NAMES = Object.keys(FIELDS) as (keyof LogEntry)[]

/** Returns the text of an entry, whose hash is its leaf. Fields that are undefined are left out. */
export function entryText(entry: LogEntry): string {
  const ordered: Record<string, unknown> = {}
  for (const name of NAMES) if (entry[name] !== undefined) ordered[name] = entry[name]
  return JSON.stringify(ordered)
}

/**
 * Reads the text of an entry. Throws a sentence about `name` unless this is the canonical text of a known kind.
 */
export function parseEntry(text: string, name = 'An entry of the log'): LogEntry {
  const entry = parseJson(text)
  const fault = entry ? faultOf(entry, text) : 'it is not a JSON object'
  if (!entry || fault) throw new Error(`${name} is malformed: ${fault}.`)
  return entry
}

function parseJson(text: string): LogEntry | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function faultOf(entry: LogEntry, text: string): string | undefined {
  const { kind } = entry
  const fields = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (!fields) return `this version does not know its kind, ${JSON.stringify(kind)}`
  const wrong = NAMES.find(name => entry[name] !== undefined && !FIELDS[name](entry[name]))
  if (wrong) return `its ${wrong} is ${JSON.stringify(entry[wrong])}`
  const missing = (['index', 'time', ...fields.needs] as const).find(name => entry[name] === undefined)
  if (missing) return `its ${missing} is missing`
  const allowed: string[] = ['index', 'time', 'kind', 'notBefore', ...fields.needs, ...(fields.may ?? [])]
  const unexpected = Object.keys(entry).find(name => !allowed.includes(name))
  if (unexpected) return `the kind ${kind} has no ${unexpected}`
  return entryText(entry) === text ? undefined : 'its text is not in the order or spelling of the format'
}
