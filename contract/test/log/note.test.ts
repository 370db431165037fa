import { hash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import {
  checkpointText,
  cosignerOf,
  joinNote,
  leafHash,
  openNote,
  parseCheckpoint,
  parseExtra,
  parseProof,
  parseVerifierKey,
  signerOf,
  splitNote,
  writeExtra,
  writeProof,
} from '@placard/contract/log'
import { describe, expect, it } from 'vitest'

// By others: the keys, texts and signatures of Go's golang.org/x/mod/sumdb/note.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const PETER_SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n'
const NOTE = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`

const PETER_KEY = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64')
/** A verifier key whose id fits. */
function vkeyOf(name: string, key = PETER_KEY): string {
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), key]), 'buffer').subarray(0, 4)
  return `${name}+${id.toString('hex')}+${key.toString('base64')}`
}

const names = (note: string, keys: string[]) => openNote(note, keys).signatures.map(({ name }) => name)

describe('a signed note', () => {
  it('is signed as Go signs it', () => {
    const signer = signerOf('PeterNeumann', PETER_SEED)
    expect(signer.vkey).toBe(PETER)
    expect(joinNote(TEXT, [signer.sign(TEXT)])).toBe(`${TEXT}\n${PETER_LINE}`)
  })

  it('names the signatures of known keys, once each, in the order of the note', () => {
    expect(openNote(NOTE, [PETER])).toEqual({ text: TEXT, signatures: [{ name: 'PeterNeumann', vkey: PETER }] })
    expect(names(NOTE, [ENOCH, PETER])).toEqual(['PeterNeumann', 'EnochRoot'])
    expect(names(NOTE, [])).toEqual([])
    expect(names(`${TEXT}\n${PETER_LINE}${PETER_LINE}${ENOCH_LINE}`, [PETER])).toEqual(['PeterNeumann'])
    expect(names(`${TEXT}\n${PETER_LINE}${PETER_LINE.replace('UG/S', 'UG/T')}`, [PETER])).toEqual(['PeterNeumann'])
    expect(names(`${TEXT}\n${PETER_LINE.replace('PeterN', 'PaulN')}`, [PETER])).toEqual([])
    expect(names(`${TEXT}\n${PETER_LINE.repeat(100)}`, [PETER])).toEqual(['PeterNeumann'])
  })

  it('is that of C2SP', () => {
    const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
    const line =
      '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
    expect(names(`This is an example message.\n\n${line}`, [vkey])).toEqual(['example.com/foo'])
  })

  it.each([
    ['without signatures', TEXT],
    ['with none after the empty line', `${TEXT}\n`],
    ['without its last newline', `${TEXT}\n${PETER_LINE.slice(0, -1)}`],
    ['with a control character', `\u0001${TEXT}\n${PETER_LINE}`],
    ['that was not UTF-8', Buffer.from(`\xff${TEXT}\n`, 'latin1').toString() + PETER_LINE],
    ['with a space in a name', `${TEXT}\n${PETER_LINE.replace('PeterN', 'Peter N')}`],
    ['with another line', `${TEXT}\n${PETER_LINE}Unexpected line.\n`],
    ['with no text', `\n${PETER_LINE}`],
    ['with no name', `${TEXT}\n${PETER_LINE.replace('PeterNeumann', '')}`],
    ['with a plus sign in a name', `${TEXT}\n${PETER_LINE.replace('PeterN', 'Peter+N')}`],
    ['with a hyphen for the dash', `${TEXT}\n${PETER_LINE.replace('—', '-')}`],
    ['with an empty signature', `${TEXT}\n— PeterNeumann \n`],
    ['with a word after a signature', `${TEXT}\n${PETER_LINE.slice(0, -1)} more\n`],
    ['with only the id of a key', `${TEXT}\n— PeterNeumann x08goA==\n`],
    ['with another spelling of base64', `${TEXT}\n${PETER_LINE.replace('nAM=', 'nAN=')}`],
    ['with 101 signatures', `${TEXT}\n${PETER_LINE.repeat(101)}`],
  ])('is rejected %s', (_, note) => {
    expect(() => openNote(note, [PETER])).toThrow(expect.objectContaining({ fault: 'malformed' }))
  })

  it('is rejected with a wrong signature of a known key only', () => {
    const damaged = `${TEXT}\n${PETER_LINE.replace('UG/S', 'UG/T')}${ENOCH_LINE}`
    const wrong = { fault: 'wrong_signature', message: 'The signature of PeterNeumann does not fit the text.' }
    expect(() => openNote(damaged, [PETER])).toThrow(expect.objectContaining(wrong))
    expect(names(damaged, [ENOCH])).toEqual(['EnochRoot'])
    expect(() => openNote(NOTE.replace('problem is', 'problem was'), [PETER])).toThrow('does not fit the text')
  })
})

describe('a verifier key', () => {
  it.each([
    PETER,
    ENOCH,
    // Keys of witnesses in use, and a key of a test of transparency-dev/formats.
    'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  ])('%s is accepted', vkey => {
    expect(parseVerifierKey(vkey).vkey).toBe(vkey)
  })

  it('is rejected in part, and with any byte changed', () => {
    for (let start = 0; start <= PETER.length; start++) {
      for (let end = start; end <= PETER.length; end++) {
        if (end - start < PETER.length) expect(() => parseVerifierKey(PETER.slice(start, end))).toThrow()
      }
      const changed = PETER.slice(0, start) + String.fromCharCode(PETER.charCodeAt(start) + 1) + PETER.slice(start + 1)
      if (start < PETER.length) expect(() => parseVerifierKey(changed)).toThrow()
    }
  })

  it.each([
    ['of the wrong length', 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='],
    ['of an unknown algorithm', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['of two parts', 'bananas.sigstore.dev+12344556'],
    ['that is not base64', 'rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!'],
    ['without a key', 'rekor.sigstore.dev+12345678+AwEB'],
    ['without a name', vkeyOf('')],
    ['with a space in its name', vkeyOf('Peter Neumann')],
    ['of 31 bytes', vkeyOf('PeterNeumann', PETER_KEY.subarray(0, -1))],
    ['of 33 bytes', vkeyOf('PeterNeumann', Buffer.concat([PETER_KEY, Buffer.alloc(1)]))],
  ])('%s is rejected', (_, vkey) => {
    expect(() => parseVerifierKey(vkey)).toThrow(/^".*" is not a verifier key for Ed25519, /)
  })

  it('is made of a name without spaces and a seed of 32 bytes only', () => {
    expect(() => signerOf('Peter Neumann', PETER_SEED)).toThrow('cannot be the name of a key')
    for (const length of [31, 33]) expect(() => signerOf('Peter', Buffer.alloc(length))).toThrow('has 32 bytes')
  })
})

describe('a cosignature', () => {
  const text = checkpointText({ origin: 'example.com/log', size: 3, root: leafHash('root') })
  const witness = cosignerOf('witness.example/w1', PETER_SEED)
  const line = witness.cosign(text, 1_679_315_147)

  it('has the time in it, and covers it', () => {
    const note = joinNote(text, [signerOf('example.com/log', Buffer.alloc(32, 7)).sign(text), line])
    expect(openNote(note, [witness.vkey]).signatures).toEqual([
      { name: 'witness.example/w1', vkey: witness.vkey, time: 1_679_315_147 },
    ])
    const [, parsed] = splitNote(note).lines
    const later = Buffer.from(parsed?.bytes ?? [])
    later.writeBigUInt64BE(1_679_315_148n, 4)
    const forged = joinNote(text, [`— witness.example/w1 ${later.toString('base64')}\n`])
    expect(() => openNote(forged, [witness.vkey])).toThrow('does not fit')
    const cut = joinNote(text, [`— witness.example/w1 ${later.subarray(0, 8).toString('base64')}\n`])
    expect(() => openNote(cut, [witness.vkey])).toThrow('does not fit')
  })

  it('is no signature of the text, and has another key', () => {
    const plain = signerOf('witness.example/w1', PETER_SEED)
    expect(plain.vkey).not.toBe(witness.vkey)
    expect(openNote(joinNote(text, [line]), [plain.vkey]).signatures).toEqual([])
    expect(openNote(joinNote(text, [plain.sign(text)]), [witness.vkey]).signatures).toEqual([])
  })
})

describe('the text of a checkpoint', () => {
  const root = Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64')
  // By others: C2SP's example, and what Go and transparency-dev/formats reject.
  const example = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'

  it('is written and read', () => {
    const checkpoint = { origin: 'example.com/behind-the-sofa', size: 20_852_163, root }
    expect(checkpointText(checkpoint)).toBe(example)
    expect(parseCheckpoint(example)).toEqual(checkpoint)
    expect(parseCheckpoint(`${example}lots\nof\nlines\n`)).toEqual(checkpoint)
    const goTree = 'go.sum database tree\n123456789012\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n'
    expect(parseCheckpoint(goTree)).toMatchObject({ size: 123_456_789_012, root: leafHash('hello world') })
  })

  it.each([
    ...[
      'Head\n9944\n',
      '\n9944\n',
      'Log\nbananas\n',
      'Log\n-34\n',
      'Log\n3438945738945739845734895735\n',
      'Log\n007\n',
    ],
    ...['Log\n0xabcdef\n', 'Log\n1e3\n', 'Log\n\n', 'Log\n+1\n'],
  ])('%j is none with a root after it', start => {
    expect(() => parseCheckpoint(start === 'Head\n9944\n' ? start : `${start}${root.toString('base64')}\n`)).toThrow()
  })

  it.each(
    [
      ["ThisIsn'tBase64\n", 'YmFuYW5hcw==\n', 'TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBTOOBIG=\n'],
      ['CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n', 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', '\n'],
    ].flat(),
  )('%j is no root', end => {
    expect(() => parseCheckpoint(`Log\n123\n${end}`)).toThrow()
  })
})

describe('a proof file', () => {
  const hashes = [leafHash('hash1'), leafHash('hash2')]
  const lines = hashes.map(each => each.toString('base64'))

  // By others: the forms and faults that transparency-dev/formats tests.
  it.each([
    [{ index: 5, hashes, checkpoint: 'test checkpoint\n' }, `index 5\n${lines[0]}\n${lines[1]}\n\ntest checkpoint\n`],
    [
      { index: 10, hashes: hashes.slice(1), extra: Buffer.from('extra information'), checkpoint: 'checkpoint data\n' },
      `extra ZXh0cmEgaW5mb3JtYXRpb24=\nindex 10\n${lines[1]}\n\ncheckpoint data\n`,
    ],
    [{ index: 0, hashes: [], checkpoint: 'checkpoint\n' }, 'index 0\n\ncheckpoint\n'],
  ])('is written and read', (proof, text) => {
    expect(writeProof(proof)).toBe(`c2sp.org/tlog-proof@v1\n${text}`)
    expect(parseProof(writeProof(proof))).toEqual({ extra: undefined, ...proof })
  })

  it.each([
    ['wrong-header\nindex 0\n\ncheckpoint\n', 'its first line'],
    ['c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\ncheckpoint\n', 'extra data'],
    ['c2sp.org/tlog-proof@v1\n\n\ncheckpoint\n', 'no index'],
    ['c2sp.org/tlog-proof@v1\nindex notanumber\n\ncheckpoint\n', 'no index'],
    ['c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n', 'no index'],
    ['c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\ncheckpoint\n', 'not a hash'],
    [`c2sp.org/tlog-proof@v1\nindex 0\n${Buffer.alloc(64).toString('base64')}\n\ncheckpoint\n`, 'not a hash'],
    [`c2sp.org/tlog-proof@v1\nindex 0\n${'a'.repeat(65 * 1024)}\n`, 'first line'],
  ])('%j is rejected', (text, why) => {
    expect(() => parseProof(text)).toThrow(why)
  })
})

describe('the extra data of a proof', () => {
  const opened = { entry: '{"index":7}', salt: '00ff', private: '{"url":"https://oak.example/"}' }

  it('is read as it was written, and as plain JSON', () => {
    expect(parseExtra(writeExtra(opened))).toEqual(opened)
    expect(parseExtra(writeExtra({ entry: opened.entry }))).toEqual({ entry: opened.entry })
    expect(parseExtra(Buffer.from(JSON.stringify(opened)))).toEqual(opened)
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{')],
    ['no entry', writeExtra({ ...opened, entry: 5 as never })],
    ['a cut one', writeExtra(opened).subarray(0, -8)],
    ['one that grows without end', deflateSync(Buffer.alloc(10_000_000))],
  ])('is refused if it is %s', (_, extra) => {
    expect(() => parseExtra(extra)).toThrow('extra data does not have the entry')
  })
})
