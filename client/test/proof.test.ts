import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseExtra, parseProof } from '@placard/contract/log'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../../server/test/support/service.ts'
import { errorOf, newClient, RECEIPT, REQUEST, runHere } from './fixtures.ts'
import { answer, reply, startPeer } from './peer.ts'
import { approved, credentialsIn, newJournal, realService } from './real-service.ts'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

describe('proof', () => {
  test('saves the proof next to the journal, for its owner only, and names the command that checks it', async () => {
    const journal = newJournal()
    const client = newClient(service.url, { journalPath: journal })
    await client.publish(approved('proven.com'))
    const { code, stdout, stderr } = await runHere(['proof', 'proven.com', '--json', '--journal', journal])
    expect([code, stderr]).toEqual([0, ''])
    const { file, destination } = JSON.parse(stdout)
    const [{ key = '', secret = '' } = {}] = credentialsIn(journal)
    expect([destination, file]).toEqual([
      'http://proven.com/',
      `${dirname(journal)}/proven.com-${key.slice(0, 8)}.tlog-proof`,
    ])
    const text = readFileSync(file, 'utf8')
    expect(parseExtra(parseProof(text).extra ?? Buffer.alloc(0))).toMatchObject({
      private: expect.stringContaining('proven.com'),
    })
    expect(text).not.toContain(secret)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)

    const again = await runHere(['proof', '--journal', journal])
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(file)])
    expect(again.stderr).toContain(`placard-agent verify receipt ${file}`)

    // With the site, then offline, with the key that was kept.
    for (const options of [['--service', service.url], []]) {
      const checked = await runHere(['verify', 'receipt', file, '--journal', journal, ...options])
      expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('http://proven.com/')])
    }
    const changed = text.replace(/(?<=\nindex \d+\n)./, first => (first === 'A' ? 'B' : 'A'))
    writeFileSync(`${file}.bad`, changed)
    const bad = await runHere(['verify', 'receipt', `${file}.bad`, '--journal', journal])
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('does not agree')])
    const withoutCheckpoint = (proof: string) => proof.slice(0, proof.indexOf('\nindex '))
    expect(withoutCheckpoint(await client.proof())).toBe(withoutCheckpoint(text))
  })

  test('does not take a page of a proxy for a proof, and keeps the proof that it has', async () => {
    const journal = newJournal()
    const peer = await startPeer(
      reply(201, RECEIPT),
      answer(
        200,
        'text/plain',
        'c2sp.org/tlog-proof@v1\nindex 0\n\nsite.example/log\n1\nAAAA\n\n— site.example/log AAAA\n',
      ),
      answer(200, 'text/html', '<h1>Log in</h1>'),
      answer(200, 'text/plain', 'Log in'),
    )
    await newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    const save = () => runHere(['proof', '--json', '--wait', '0', '--journal', journal])
    const saved = await save()
    const { file } = JSON.parse(saved.stdout)
    const text = readFileSync(file, 'utf8')
    for (const _ of ['text/html', 'text/plain']) {
      const { code, stderr } = await save()
      expect([code, JSON.parse(stderr).code]).toEqual([3, 'invalid_response'])
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })

  test('says that only an accepted submission has one', async () => {
    const journal = newJournal()
    const client = newClient(service.url, { journalPath: journal })
    service.sites.set('unproven.com', (_request, response) => response.writeHead(404).end())
    await errorOf(client.publish(approved('unproven.com')))
    const { code, stderr } = await runHere(['proof', '--journal', journal])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Only an accepted submission has a proof')])
  })
})
