import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { FilledBoard } from './fill-board.ts'

/** A Redis server to compare with. */
export interface Redis {
  /**
   * Puts the totals of a board into a sorted set and counts above random targets.
   *
   * @returns microseconds that the server itself says one ZCOUNT takes, round by round
   */
  zcountMicros(board: FilledBoard, lookups: number, rounds: number): Promise<number[]>
  stop(): Promise<void>
}

/** Starts `redis-server` from the PATH on a socket in a folder. @returns undefined where there is none */
export async function startRedis(folder: string): Promise<Redis | undefined> {
  const dir = join(folder, 'redis')
  mkdirSync(dir)
  const path = join(dir, 'socket')
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', dir]
  const child = spawn('redis-server', options, { stdio: 'ignore' })
  const isThere = await new Promise<boolean>(resolve => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false))
  })
  if (!isThere) return undefined
  const socket = await connected(path)
  return {
    zcountMicros: (board, lookups, rounds) => zcountMicros(socket, board, lookups, rounds),
    async stop() {
      socket.destroy()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function connected(path: string): Promise<Socket> {
  for (let tries = 100; ; tries--) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
      return socket.setEncoding('utf8')
    } catch (error) {
      if (tries === 0) throw error
      await sleep(20)
    }
  }
}

async function zcountMicros(
  socket: Socket,
  { dataDir }: FilledBoard,
  lookups: number,
  rounds: number,
): Promise<number[]> {
  const db = new Sqlite(join(dataDir, 'placard.db'), { readonly: true })
  const rows = db
    .prepare("select totalCents, destinationKey from board_total where board = 'all'")
    .raw()
    .all()
  db.close()
  await send(socket, [['DEL', 'board']])
  const places = rows as [totalCents: number, key: string][]
  for (let start = 0; start < places.length; start += 10_000) {
    await send(
      socket,
      places.slice(start, start + 10_000).map(([totalCents, key]) => ['ZADD', 'board', `${totalCents}`, key]),
    )
  }
  const micros: number[] = []
  for (let round = 0; round < rounds; round++) {
    await send(socket, [['CONFIG', 'RESETSTAT']])
    const targets = Array.from(
      { length: lookups },
      () => places[Math.floor(Math.random() * places.length)]?.[0],
    )
    await send(
      socket,
      targets.map(target => ['ZCOUNT', 'board', `${target}`, '+inf']),
    )
    const info = await send(socket, [['INFO', 'commandstats']], /cmdstat_zcount.*\r\n/)
    micros.push(Number(/cmdstat_zcount:.*usec_per_call=([\d.]+)/.exec(info)?.[1]))
  }
  return micros
}

/** Sends commands in one go and waits for as many replies, each of one line, or for `until`. @returns what came */
async function send(socket: Socket, commands: string[][], until?: RegExp): Promise<string> {
  const words = commands.flatMap(command => [
    `*${command.length}`,
    ...command.flatMap(word => [`$${Buffer.byteLength(word)}`, word]),
  ])
  socket.write(`${words.join('\r\n')}\r\n`)
  let text = ''
  let replies = 0
  for await (const [chunk] of socketData(socket)) {
    text += chunk
    if (text.startsWith('-')) throw new Error(`Redis: ${text}`)
    replies += chunk.split('\r\n').length - 1
    if (until ? until.test(text) : replies >= commands.length) break
  }
  return text
}

async function* socketData(socket: Socket): AsyncGenerator<[string]> {
  for (;;) yield (await once(socket, 'data')) as [string]
}
