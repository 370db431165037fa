// Checks one row of the open log, from its bytes to the signed checkpoint. It takes only the row's number and the keys
// from the page. The formats are c2sp.org/tlog-tiles and c2sp.org/signed-note.

const slip = document.querySelector('[data-check]')
const { subtle } = crypto
const WIDTH = 256
const LATE_MAX_MS = 5 * 60_000

/** The log's files can't be true. Any other error only means that nothing was checked. */
class Disagreement extends Error {}

const agree = (isTrue, sentence) => {
  if (!isTrue) throw new Disagreement(sentence)
}

const many = (count, name) => `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`
const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

function base64(text) {
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
  } catch {
    throw new Disagreement('A part of the checkpoint isn’t base64.')
  }
}

// The first byte differs, so that no row can pass for a pair of hashes (RFC 6962, 2.1).
const leafHash = row => sha256([0, ...row])
const nodeHash = (left, right) => sha256([1, ...left, ...right])
const sha256 = async bytes => new Uint8Array(await subtle.digest('SHA-256', new Uint8Array(bytes)))

async function read(path) {
  const response = await fetch(`/log/${path}`).catch(() => undefined)
  if (!response) throw new Error(`Your browser couldn’t reach /log/${path}.`)
  if (!response.ok) throw new Error(`The site answered ${response.status} for /log/${path}.`)
  return new Uint8Array(await response.arrayBuffer())
}

/** Returns a checkpoint: its signed text, what that says, and its signatures. */
function parseCheckpoint(note) {
  const end = note.lastIndexOf('\n\n') + 1
  const text = note.slice(0, end)
  const [, size, root] = text.split('\n')
  agree(/^(0|[1-9]\d{0,14})$/.test(size) && root, 'The checkpoint is malformed.')
  return { text, size: Number(size), root: base64(root), lines: note.slice(end + 1).split('\n') }
}

/** Returns whether a checkpoint has the signature of a key. Throws if it has a wrong one. */
async function isSigned({ text, lines }, verifierKey) {
  const [, name, id, material] = /^(.+?)\+(.{8})\+(.+)$/.exec(verifierKey)
  const [kind, ...key] = base64(material)
  for (const line of lines) {
    const [, signer, encoded] = line.split(' ')
    const bytes = signer === name ? base64(encoded) : []
    if (hex(bytes.slice(0, 4)) !== id) continue
    // A witness signs the time, too: eight bytes before its signature.
    const isWitness = kind === 4
    const head = isWitness ? `cosignature/v1\ntime ${BigInt(`0x0${hex(bytes.slice(4, 12))}`)}\n` : ''
    const imported = await subtle.importKey('raw', new Uint8Array(key), 'Ed25519', false, ['verify'])
    const signed = new TextEncoder().encode(head + text)
    const isRight = await subtle.verify('Ed25519', imported, bytes.slice(isWitness ? 12 : 4), signed)
    agree(isRight, `The checkpoint has a wrong signature of ${name}.`)
    return true
  }
  return false
}

/** Checks the signatures. Returns a sentence about them. */
async function checkSignatures(checkpoint) {
  const count = async list => {
    const signed = await Promise.all(list.split(' ').map(key => key && isSigned(checkpoint, key)))
    return signed.filter(Boolean).length
  }
  try {
    agree(await count(slip.dataset.keys), 'The checkpoint isn’t signed with a key of this site.')
    const witnesses = await count(slip.dataset.witnesses)
    return `The checkpoint is signed by this site${witnesses ? ` and by ${many(witnesses, 'other')}` : ''}.`
  } catch (error) {
    if (error.name !== 'NotSupportedError') throw error
    return 'This browser can’t check Ed25519 signatures, so it didn’t check who signed the checkpoint.'
  }
}

/** The rows that a checkpoint covers, and the hashes over them. */
function logOf(size) {
  const files = new Map()

  /** Returns a tile or bundle, and how many items it must have. */
  async function file(level, number) {
    const hashes = level === 'entries' ? size : Math.floor(size / WIDTH ** level)
    const width = Math.min(WIDTH, hashes - number * WIDTH)
    // Three digits a folder, and an x before all but the last: x001/x234/067.
    const groups = number.toLocaleString('en').split(',')
    const name = groups.map((group, place) => (groups[place + 1] ? 'x' : '') + group.padStart(3, '0')).join('/')
    const path = `tile/${level}/${name}${width < WIDTH ? `.p/${width}` : ''}`
    if (!files.has(path)) files.set(path, read(path))
    return { bytes: await files.get(path), width, path }
  }

  /** Returns the hash over the rows from `from` to before `to`. Tiles have those over 1, 256, 65,536. */
  async function rangeHash(from, to) {
    const count = to - from
    const level = Math.log2(count) / 8
    if (!Number.isInteger(level)) {
      const middle = from + halfOf(count)
      return nodeHash(...(await Promise.all([rangeHash(from, middle), rangeHash(middle, to)])))
    }
    const place = from / count
    const { bytes, width, path } = await file(level, Math.floor(place / WIDTH))
    agree(bytes.length === width * 32, `/log/${path} has ${bytes.length} bytes instead of ${width * 32}.`)
    const at = (place % WIDTH) * 32
    return bytes.subarray(at, at + 32)
  }

  /** Returns the hashes beside the way to the root, lowest first (RFC 6962, 2.1.1). */
  async function wayOf(index, from = 0, to = size) {
    if (to - from === 1) return []
    const middle = from + halfOf(to - from)
    const isLeft = index < middle
    const below = await (isLeft ? wayOf(index, from, middle) : wayOf(index, middle, to))
    return [...below, { isLeft, hash: await (isLeft ? rangeHash(middle, to) : rangeHash(from, middle)) }]
  }

  /** Returns the bytes of a row, from the bundle that has it. */
  async function rowAt(index) {
    const { bytes, width, path } = await file('entries', Math.floor(index / WIDTH))
    const rows = []
    let at = 0
    while (at < bytes.length) {
      const end = at + 2 + bytes[at] * 256 + bytes[at + 1]
      rows.push(bytes.subarray(at + 2, end))
      at = end
    }
    agree(
      at === bytes.length && rows.length === width,
      `/log/${path} doesn’t have the ${many(width, 'row')} it should.`,
    )
    return rows[index % WIDTH]
  }

  return { wayOf, rowAt }
}

/** The largest power of two below a number above one. */
const halfOf = count => 2 ** (Math.ceil(Math.log2(count)) - 1)

async function check(index) {
  if (!subtle) throw new Error('Your browser does cryptography only on pages loaded over HTTPS.')
  const startedAt = performance.now()
  const checkpoint = parseCheckpoint(new TextDecoder().decode(await read('checkpoint')))
  const { size, root } = checkpoint
  if (index >= size) throw new Error(`The checkpoint covers ${many(size, 'row')} so far. Reload in a few seconds.`)
  const signatures = await checkSignatures(checkpoint)
  const log = logOf(size)
  const row = await log.rowAt(index)
  const way = await log.wayOf(index)
  const first = await leafHash(row)
  let last = first
  for (const { isLeft, hash } of way) last = await (isLeft ? nodeHash(last, hash) : nodeHash(hash, last))
  agree(hex(last) === hex(root), `Row ${index} doesn’t lead to the checkpoint: its hashes end in another root.`)
  const text = new TextDecoder().decode(row)
  agree(text.startsWith(`{"index":${index},`), `The row doesn’t say that it is row ${index}.`)
  const entry = JSON.parse(text)
  const isLate = Date.parse(entry.time) < Date.parse(entry.notBefore) - LATE_MAX_MS
  agree(!isLate, `The row was inserted later: it is dated ${entry.time}, but wasn’t there at ${entry.notBefore}.`)
  return { entry, text, size, signatures, way, first, ms: Math.ceil(performance.now() - startedAt) }
}

const make = (name, textContent) => Object.assign(document.createElement(name), { textContent })

function say(heading, ...sentences) {
  const title = Object.assign(make('h2', heading), { className: 'huge' })
  slip.querySelector('[data-result]').replaceChildren(title, ...sentences.map(each => make('p', each)))
}

function showWay({ way, first, text }) {
  const part = slip.querySelector('[data-way]')
  const squares = way.map((_, step) => `M${24 + ((step + 1) * 616) / (way.length + 1)} 20h16v16h-16z`)
  part.querySelector('path').setAttribute('d', `M0 12h32v32h-32zM32 27h616v2h-616z${squares.join('')}`)
  const hashes = way.map(({ isLeft, hash }, step) => `${step + 1} ${isLeft ? 'right' : 'left '} ${hex(hash)}`)
  part.querySelector('[data-hashes]').textContent = [`0 row   ${hex(first)}`, ...hashes].join('\n')
  part.querySelector('[data-text]').textContent = text
  part.hidden = false
}

/** Shows what the checked bytes say. */
function showFacts(entry) {
  for (const fact of slip.querySelectorAll('[data-key]')) {
    const { key } = fact.dataset
    const value = entry[key]
    fact.textContent = WORDS[key]?.(value) ?? value
    fact.hidden = fact.previousElementSibling.hidden = value === undefined
  }
}

const dollars = cents => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })
const WORDS = {
  kind: kind => document.getElementById(`kind-${kind}`)?.textContent,
  time: time => `${time.slice(0, 19).replace('T', ', ')} UTC`,
  changeCents: dollars,
  totalCents: dollars,
}

async function run() {
  const index = Number(slip.dataset.check)
  say('Checking…')
  try {
    const found = await check(index)
    const way = `${many(found.size, 'row')} in ${many(found.way.length, 'step')}`
    const sentence = `Row ${index.toLocaleString('en')} leads to the checkpoint of ${way}.`
    say('It’s in the log', `${sentence} Your browser computed it in ${found.ms} ms.`, found.signatures)
    showFacts(found.entry)
    showWay(found)
  } catch (error) {
    const isWrong = error instanceof Disagreement
    const advice = isWrong ? 'Save this page and the log’s files as evidence.' : 'This says nothing about the row.'
    say(isWrong ? 'It doesn’t fit' : 'Not checked', error.message, advice)
  }
}

if (slip) run()
