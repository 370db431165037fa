/** A thread that reads one blocklist, so that a million lines keep nobody waiting. */
import { createReadStream } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { hostsInLine } from './blocklist-lines.ts'
import { type BuiltHostSet, HostSetBuilder } from './host-set.ts'

export interface ReadBlocklist {
  hosts: BuiltHostSet
  /** A file that used to end its last line, and no longer does, is half written. */
  endsLine: boolean
}

const LINE_MAX_LENGTH = 64 * 1024

/** @throws Error whose message continues after the file's name */
async function read(path: string): Promise<ReadBlocklist> {
  const hosts = new HostSetBuilder()
  let [understood, strange, rest] = [0, 0, '']
  const take = (line: string) => {
    const found = hostsInLine(line)
    if (found === undefined) strange++
    else if (found.length > 0) understood++
    for (const host of found ?? []) hosts.add(host)
  }
  let isEmpty = true
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    isEmpty = false
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_MAX_LENGTH || chunk.includes('\0')) throw new Error('is not a text file')
    for (const line of lines) take(line)
  }
  if (isEmpty) throw new Error('is empty')
  take(rest)
  if (strange > understood) throw new Error(`is not a list of hosts: ${strange} lines make no sense as one`)
  return { hosts: hosts.build(), endsLine: rest === '' }
}

try {
  const list = await read(workerData as string)
  parentPort?.postMessage(list, [list.hosts.table.buffer])
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  parentPort?.postMessage({ problem: code === undefined ? message : `cannot be read: ${message}` })
}
