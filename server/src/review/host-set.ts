/**
 * Host names as sorted hashes of 53 bits: 8 bytes each, where a Set of strings takes some 80. Two names of a million
 * share a hash once in ten thousand lists; a stranger's name is taken for a listed one once in nine billion.
 */
export class HostSet {
  readonly #hashes: Float64Array

  /** @param hashes sorted, without duplicates, as `sortedHashes` makes them */
  constructor(hashes: Float64Array) {
    this.#hashes = hashes
  }

  get size(): number {
    return this.#hashes.length
  }

  /** The name itself or the nearest of its parents that is in the set, down to two labels. */
  find(hostname: string): string | undefined {
    const lastDot = hostname.lastIndexOf('.')
    for (let start = 0; start <= lastDot; start = hostname.indexOf('.', start) + 1) {
      if (this.#has(hashOf(hostname, start))) return hostname.slice(start)
      if (hostname.indexOf('.', start) === lastDot) break
    }
    return undefined
  }

  #has(hash: number): boolean {
    let [low, high] = [0, this.#hashes.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#hashes[middle] as number) < hash) low = middle + 1
      else high = middle
    }
    return this.#hashes[low] === hash
  }
}

/** The hash of a name in lower case, from a place on. This is cyrb53. */
export function hashOf(name: string, start = 0): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let place = start; place < name.length; place++) {
    const code = name.charCodeAt(place)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/** Gathers hashes in any order. */
export class HostSetBuilder {
  #hashes = new Float64Array(1024)
  #count = 0

  add(name: string): void {
    if (this.#count === this.#hashes.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#hashes)
      this.#hashes = larger
    }
    this.#hashes[this.#count++] = hashOf(name)
  }

  /** All hashes, sorted and without duplicates. */
  build(): Float64Array<ArrayBuffer> {
    const sorted = this.#hashes.subarray(0, this.#count).sort()
    let kept = 0
    for (const hash of sorted) {
      if (kept === 0 || sorted[kept - 1] !== hash) sorted[kept++] = hash
    }
    return sorted.slice(0, kept)
  }
}
