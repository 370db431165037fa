import type { Secret } from '../lib/secret.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts'
import { BadSetting, type Parsed, type Row } from './row.ts'
import { folder, listOf, token, wholeNumber } from './values.ts'

/** Settings of backups and of object storage: `docs/backup-and-upgrade.md`. */
export const STORAGE_SETTINGS = {
  BACKUP_TO: {
    group: 'first',
    unset: 'none: no automatic backups',
    meaning:
      'Where Placard backs itself up: a folder, or `s3://bucket/prefix?endpoint=https://…&region=…`. See [backup-and-upgrade.md](backup-and-upgrade.md#automatic-backups).',
    parse: backupTo,
  },
  BACKUP_EVERY: {
    group: 'often',
    unset: '6h with BACKUP_TO',
    meaning: 'Time from the end of one backup to the start of the next, such as `6h` or `30m`, from `5s` to `14d`.',
    parse: duration,
  },
  BACKUP_KEEP: {
    group: 'often',
    default: '14',
    meaning: 'How many backups to keep in BACKUP_TO. Older ones are deleted after a new one was verified.',
    parse: wholeNumber(1, 10_000),
  },
  BACKUP_RECIPIENT: {
    group: 'often',
    unset: 'none: not encrypted, without the service key',
    meaning:
      'Comma-separated recipients of [age](https://age-encryption.org), such as `age1…`. With it, backups are encrypted for them and include the service key.',
    parse: listOf(recipient),
  },
  STORAGE_URL: {
    group: 'rarely',
    unset: 'none: pictures are in the database',
    meaning:
      'Object storage for the pictures of listings: `s3://bucket/prefix?endpoint=https://…&region=…`. With `&new=database`, new pictures stay in the database. See [backup-and-upgrade.md](backup-and-upgrade.md#pictures-in-object-storage).',
    parse: storageUrl,
  },
  AWS_ACCESS_KEY_ID: {
    group: 'often',
    meaning: 'Access key of the object storage. Required with `s3://`.',
    // It is no secret, but is sent in a header, too.
    parse: value => token(value).reveal().toString(),
  },
  AWS_SECRET_ACCESS_KEY: {
    group: 'often',
    meaning: 'Secret of AWS_ACCESS_KEY_ID. Required with `s3://`.',
    isSecret: true,
    parse: token,
  },
  AWS_SESSION_TOKEN: {
    group: 'rarely',
    meaning: 'Session token, if the access key is temporary. Placard does not renew it.',
    isSecret: true,
    parse: token,
  },
} as const satisfies Record<string, Row>

type Settings = Parsed<typeof STORAGE_SETTINGS>

/** A place in object storage. */
export interface S3Address {
  bucket: string
  /** Without a slash at its ends; empty for the whole bucket. */
  prefix: string
  /** Origin of the server. */
  endpoint: string
  region: string
  /** As it was written, which contains no secret. */
  text: string
}

/** Access to object storage. */
export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: Secret
  sessionToken: Secret | undefined
}

/** Returns a place in object storage. @throws Error that says what is expected */
export function s3Address(value: string): S3Address {
  const url = URL.parse(value)
  const bucket = url?.hostname ?? ''
  const isBucket = /^[a-z0-9][a-z0-9.-]{2,62}$/.test(bucket)
  if (url?.protocol !== 's3:' || url.username + url.password + url.port !== '' || !isBucket) {
    throw new Error('must be s3://bucket/prefix?endpoint=https://…&region=…, without a password')
  }
  const other = [...url.searchParams.keys()].find(name => name !== 'endpoint' && name !== 'region')
  if (other !== undefined) throw new Error(`must have no parameters but endpoint and region, not ${other}`)
  const prefix = url.pathname.split('/').filter(Boolean).join('/')
  if (!/^[\w./-]*$/.test(prefix)) throw new Error('must have a prefix of letters, digits, dots, dashes and slashes')
  const region = url.searchParams.get('region') ?? 'us-east-1'
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  if (!URL.canParse(endpoint) || !/^https?:\/\/[^/@]+\/?$/.test(endpoint)) {
    throw new Error('must have an endpoint like https://s3.example.org, without a path')
  }
  return { bucket, prefix, endpoint: new URL(endpoint).origin, region, text: value }
}

/** Returns where pictures are stored, and whether new ones go there. @throws Error that says what is expected */
function storageUrl(value: string): { address: S3Address; takesNew: boolean } {
  const [place = '', query = ''] = value.split('?')
  const parameters = new URLSearchParams(query)
  const takesNew = parameters.get('new') !== 'database'
  if (!takesNew) parameters.delete('new')
  return { address: s3Address(`${place}?${parameters}`), takesNew }
}

/** Whether a text means object storage and not a folder. An address of another kind does, too, and is refused. */
export const isS3 = (place: string): boolean => /^s3:|^\w+:\/\//i.test(place)

function backupTo(value: string): string | S3Address {
  return isS3(value) ? s3Address(value) : folder(value)
}

const UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** @returns milliseconds */
function duration(value: string): number {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(value) ?? []
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  // Timers of Node end at once after 24.8 days.
  if (ms >= 5 * SECOND_MS && ms <= 14 * DAY_MS) return ms
  throw new Error(`must be a time from 5s to 14d, like 6h, 30m or 5s, not "${value}"`)
}

/** The check digits are checked when the first backup is made. */
function recipient(value: string): string {
  if (/^age1[a-z0-9]{58,4000}$/.test(value)) return value
  throw new Error('must be recipients of age, like age1…; age-keygen makes one. An identity (AGE-SECRET-KEY-1…) is not')
}

/** Returns the access to object storage; undefined if none is set. @throws BadSetting if half of it is set */
export function credentialsFrom({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: Settings): S3Credentials | undefined {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey, sessionToken }
  if (accessKeyId !== undefined) throw new BadSetting('AWS_SECRET_ACCESS_KEY', 'must be set with AWS_ACCESS_KEY_ID')
  if (secretAccessKey !== undefined) throw new BadSetting('AWS_ACCESS_KEY_ID', 'must be set with AWS_SECRET_ACCESS_KEY')
  return undefined
}

/** Returns where pictures are stored; undefined if in the database. @throws BadSetting without access to it */
export function storageFrom(settings: Settings & { BASE_URL: string | undefined }) {
  const { STORAGE_URL: storage, BASE_URL: base } = settings
  if (storage === undefined) return undefined
  if (!credentialsFrom(settings)) throw new BadSetting('AWS_ACCESS_KEY_ID', 'must be set with STORAGE_URL')
  /** A part of object names. A copy of the site has another address, so it deletes no object of the site. */
  const site = base === undefined ? 'local' : new URL(base).host.replaceAll(/[^a-z0-9.-]/g, '_')
  return { ...storage, site }
}

/** Returns how the site backs itself up; undefined if it doesn't. @throws BadSetting if the settings contradict */
export function backupFrom(settings: Settings) {
  const { BACKUP_TO: to, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep, BACKUP_RECIPIENT: recipients = [] } = settings
  const s3 = credentialsFrom(settings)
  if (to !== undefined) {
    if (typeof to !== 'string' && !s3) throw new BadSetting('AWS_ACCESS_KEY_ID', 'must be set with BACKUP_TO=s3://…')
    return { to, everyMs: everyMs ?? 6 * HOUR_MS, keep, recipients }
  }
  if (everyMs !== undefined) throw new BadSetting('BACKUP_TO', 'must be set with BACKUP_EVERY')
  if (recipients.length > 0) throw new BadSetting('BACKUP_TO', 'must be set with BACKUP_RECIPIENT')
  return undefined
}

export type BackupConfig = NonNullable<ReturnType<typeof backupFrom>>
