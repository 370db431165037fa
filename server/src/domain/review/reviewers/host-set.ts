/**
 * Host names as hashes of 53 bits in an open table. A name takes 16 to 32 bytes, where a Set of strings takes about 80,
 * and is found in one or two reads. An unlisted name matches one of a million listed ones with a probability of one in
 * nine billion.
 */
export class HostSet {
  /** Its length is a power of two. Zero marks an empty place. */
  readonly #table: Float64Array
  readonly size: number

  constructor({ table, size }: BuiltHostSet = { table: new Float64Array(2), size: 0 }) {
    this.#table = table
    this.size = size
  }

  /** Returns the name itself or the nearest of its parents that is in the set, down to two labels. */
  find(hostname: string): string | undefined {
    let [a, b, dots, found] = [SEED_A, SEED_B, 0, -1]
    // From the end, so that one pass gives the hash of every parent.
    for (let place = hostname.length - 1; place >= 0; place--) {
      const code = hostname.charCodeAt(place)
      if (code === DOT && dots++ > 0 && this.#has(keyOf(a, b))) found = place + 1
      a = Math.imul(a ^ code, FACTOR_A)
      b = Math.imul(b ^ code, FACTOR_B)
    }
    if (dots > 0 && this.#has(keyOf(a, b))) found = 0
    return found < 0 ? undefined : hostname.slice(found)
  }

  #has(key: number): boolean {
    return this.#table[placeOf(this.#table, key)] === key
  }
}

/** The form in which one thread sends it to another. */
export interface BuiltHostSet {
  table: Float64Array<ArrayBuffer>
  size: number
}

/** Collects names in lower case. */
export class HostSetBuilder {
  #table = new Float64Array(2048)
  #size = 0

  add(name: string): void {
    let [a, b] = [SEED_A, SEED_B]
    for (let place = name.length - 1; place >= 0; place--) {
      const code = name.charCodeAt(place)
      a = Math.imul(a ^ code, FACTOR_A)
      b = Math.imul(b ^ code, FACTOR_B)
    }
    const key = keyOf(a, b)
    const place = placeOf(this.#table, key)
    if (this.#table[place] === key) return
    this.#table[place] = key
    this.#size++
    if (this.#size * 2 > this.#table.length) this.#grow()
  }

  build(): BuiltHostSet {
    return { table: this.#table, size: this.#size }
  }

  #grow(): void {
    const larger = new Float64Array(this.#table.length * 2)
    for (const key of this.#table) if (key !== 0) larger[placeOf(larger, key)] = key
    this.#table = larger
  }
}

// The hash is cyrb53, from the end of a name to its beginning.
const [SEED_A, SEED_B, FACTOR_A, FACTOR_B, DOT] = [0xdeadbeef, 0x41c6ce57, 2654435761, 1597334677, 46]

function keyOf(a: number, b: number): number {
  const low = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  const high = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0) || 1
}

/** Returns the place of a key in a table, or the empty place where it belongs. */
function placeOf(table: Float64Array, key: number): number {
  const last = table.length - 1
  let place = key & last
  while (table[place] !== 0 && table[place] !== key) place = (place + 1) & last
  return place
}
