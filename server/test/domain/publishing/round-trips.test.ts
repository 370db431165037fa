// @module-tag postgres
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { migratedDatabase } from '../../support/engines.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'

/** Stands before PostgreSQL, and keeps what was sent: of each transaction, in one text, what was sent before an answer. */
async function startRecorder(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const port = Number(url.port)
  const transactions: string[][] = []
  const reads: string[] = []
  const server = createServer(socket => {
    const postgres = connect(port, url.hostname)
    let isAnswered = true
    let trips: string[] = []
    let isInTransaction = false
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (text.includes('begin')) {
        trips = []
        isInTransaction = true
      }
      if (!isInTransaction) reads.push(text)
      if (isAnswered) trips.push('')
      trips.push(`${trips.pop() ?? ''}${text}`)
      if (text.includes('commit')) {
        transactions.push(trips)
        isInTransaction = false
      }
      isAnswered = false
      postgres.write(text, 'latin1')
    })
    postgres.on('data', () => {
      isAnswered = true
    })
    for (const end of [socket, postgres]) end.on('error', () => {})
    postgres.pipe(socket)
    socket.on('close', () => postgres.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, transactions, reads, close: () => server.close() }
}

it('a publish waits twice for PostgreSQL to reserve its attempt, and three times to publish it', async () => {
  const database = await migratedDatabase('postgres')
  const recorder = await startRecorder(database.env.DATABASE_URL ?? '')
  const env = { DATABASE_URL: recorder.url }
  const service = await startTestService({ engine: 'postgres', database, env, jobsEveryMs: 0 })
  expect((await publish(service, newCredentials(), publishBody('http://trips.com'))).status).toBe(201)
  const tripsOf = (table: string) =>
    recorder.transactions.find(trips => trips.some(text => text.includes(`insert into "${table}"`)))
  expect([tripsOf('attempt')?.length, tripsOf('listing')?.length]).toEqual([2, 3])
  // Only an attempt for a website that was tried before may continue an earlier one.
  expect(recorder.reads.filter(text => text.includes('from "attempt"'))).toHaveLength(1)
  await service.stop()
  recorder.close()
})
