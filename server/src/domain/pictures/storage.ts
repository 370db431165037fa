import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../platform/config/config.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { Bucket } from '../../platform/lib/object-storage.ts'
import { createSlots } from '../../platform/lib/slots.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'

export type StorageSettings = Pick<Config, 'storage' | 's3'>

/** Shorter than for backups, because a picture is small. */
const ANSWER_TIMEOUT_MS = 10 * SECOND_MS

/** Opens the object storage for pictures; undefined if STORAGE_URL is not set. */
export const openStorage = ({ storage, s3 }: StorageSettings): PictureStorage | undefined =>
  storage && s3 && new PictureStorage({ address: storage.address, credentials: s3 }, storage.site)

/** Object storage for the pictures of a site. Other sites may use the same place. */
export class PictureStorage extends Bucket {
  readonly #start: string

  constructor(settings: ConstructorParameters<typeof Bucket>[0], site: string) {
    super(settings, ANSWER_TIMEOUT_MS)
    this.#start = `pictures/${site}/`
  }

  /**
   * A name for an object with these bytes. The random part makes it belong to one row only, so deleting an object never
   * affects another row with the same picture.
   */
  nameFor(bytes: Buffer): string {
    return `${this.#start}${sha256(bytes)}-${randomBytes(6).toString('hex')}`
  }

  /**
   * Whether `nameFor` made a name here. An imported row may name anything, and those of a copied database name the
   * objects of the site that was copied.
   */
  isOurs(name: string): boolean {
    return name.startsWith(this.#start) && /^[0-9a-f]{64}-[0-9a-f]{12}$/.test(name.slice(this.#start.length))
  }
}

const sha256 = (bytes: Buffer) => hash('sha256', bytes)

/** Whether an object has the bytes that its name was made for. */
const isIntact = (name: string, bytes: Buffer) =>
  name
    .split('/')
    .at(-1)
    ?.startsWith(`${sha256(bytes)}-`)

/** Far more than any picture has. */
const READ_LIMITS = { bytesMax: 4 * 1024 * 1024, timeoutMs: 5 * SECOND_MS }

/** Returns the bytes of an object. @throws Error in one line if storage does not answer in time, or has other bytes */
export async function readObject(storage: Bucket, name: string): Promise<Buffer> {
  const bytes = await storage.getSmall(name, READ_LIMITS)
  if (!bytes) throw new Error(`${name} is gone from object storage: restore it there, or let the listing be refreshed`)
  if (!isIntact(name, bytes)) throw new Error(`${name} in object storage was changed: restore it there`)
  return bytes
}

/** Work on many pictures ends after so many failures: then storage is away, and not only some objects. */
export const FAILURES_MAX = 10

/** A picture in object storage cannot be read now. */
export class StorageAway extends Error {}

/** Reads at once, so that slow storage holds few sockets. Others wait shortly. */
const LINE = { atOnceMax: 16, waitersMax: 64, waitMs: 2 * SECOND_MS }

/** Some hundred pictures, so that those of the first pages cost no request. */
const KEPT_MAX_BYTES = 8 * 1024 * 1024

/** Reads the pictures of listings, from the database or from object storage. */
export class StoredPictures {
  readonly #store: Store
  readonly #storage: PictureStorage | undefined
  readonly #line = createSlots(LINE)
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: KEPT_MAX_BYTES, sizeCalculation: bytes => bytes.length })

  constructor(store: Store, settings: StorageSettings) {
    this.#store = store
    this.#storage = openStorage(settings)
  }

  /**
   * Returns the picture of a listing; null if it has none.
   *
   * @param networks of the client; none for the service's own work
   * @throws StorageAway after some seconds if the picture is in object storage, and cannot be read
   */
  async find(listingId: number, networks: readonly string[] = []): Promise<Buffer | null> {
    const [row] = await pictureOf(this.#store, { listingId })
    if (!row?.objectName) return row?.bytes ?? null
    return this.#kept.get(row.objectName) ?? this.#read(row.objectName, networks)
  }

  async #read(name: string, networks: readonly string[]): Promise<Buffer> {
    if (!this.#storage) throw new StorageAway('a picture is in object storage, and STORAGE_URL is not set')
    // Requests for one picture wait for the first.
    const release = await this.#line.acquire({ key: name, networks })
    if (!release) throw new StorageAway('too many pictures wait for object storage')
    try {
      const bytes = this.#kept.get(name) ?? (await readObject(this.#storage, name))
      this.#kept.set(name, bytes)
      return bytes
    } catch (error) {
      throw new StorageAway((error as Error).message, { cause: error })
    } finally {
      release()
    }
  }
}

const pictureOf = statement(
  { listingId: 'bigint' },
  ({ listingId }) => sql<{ bytes: Buffer | null; objectName: string | null }>`
    select bytes, "objectName" from picture where "listingId" = ${listingId} and state = 'stored'`,
)
