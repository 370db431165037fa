import { randomBytes } from 'node:crypto'
import { readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, usageError } from '../error.ts'
import { isAppeal, type Wish } from '../submissions/approval-text.ts'
import { makeFolder } from './folder.ts'

/** A publish or an appeal that needs a person's approval in a terminal. It holds no secret. */
export type AskedApproval = Wish & {
  code: string
  /** Unix milliseconds. Afterwards, neither the code nor the approval is valid. */
  expiresAt: number
  /** Who said yes, if known. */
  by?: string
}

const LASTS_MS = 60 * 60 * 1000

/**
 * No 0, O, 1, I, L or U, because a person may have to type it. 30 letters, so that a byte below 240 selects one fairly.
 */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8
const NAME = new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}\\.(asked|approved)$`)

type State = 'asked' | 'approved'

/**
 * Stores the approval request for an hour, in a private file next to the journal. The same request keeps its code.
 * Throws `journal_unusable`.
 */
export function askApproval(journal: string, wish: Wish, now = Date.now()): Promise<AskedApproval> {
  return inFolder(journal, async folder => {
    const kept = await all(folder, 'asked', now)
    const same = kept.find(isFor(wish))
    if (same) return same
    const asked = { code: newCode(), ...wish, expiresAt: now + LASTS_MS }
    await makeFolder(folder)
    await writeFile(pathOf(folder, asked.code, 'asked'), JSON.stringify(asked), { flag: 'wx', mode: 0o600 })
    return asked
  })
}

/** Returns what the code asks for, in any spelling of the code; undefined if it is unknown, used or expired. */
export function findAsked(journal: string, code: string, now = Date.now()): Promise<AskedApproval | undefined> {
  const meant = code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return inFolder(journal, async folder => (await all(folder, 'asked', now)).find(({ code: one }) => one === meant))
}

/** Stores the approval of exactly this, for the next request. @returns false if the code was used in the meantime */
export function approve(journal: string, asked: AskedApproval, by: string | undefined): Promise<boolean> {
  return inFolder(journal, async folder => {
    const path = pathOf(folder, asked.code, 'asked')
    const given = JSON.stringify({ ...asked, ...(by !== undefined && { by }) })
    return claimed(async () => {
      await writeFile(path, given, { flag: 'r+' })
      await rename(path, pathOf(folder, asked.code, 'approved'))
    })
  })
}

/** Uses up the approval of exactly this, if there is one. */
export function takeApproval(journal: string, wish: Wish, now = Date.now()): Promise<AskedApproval | undefined> {
  return inFolder(journal, async folder => {
    const given = (await all(folder, 'approved', now)).find(isFor(wish))
    // If two processes find the approval, the one that removes its file has it.
    const isOurs = given && (await claimed(() => unlink(pathOf(folder, given.code, 'approved'))))
    return isOurs ? given : undefined
  })
}

/** Returns the valid ones. Removes the others, unless another process may still be writing them. */
async function all(folder: string, state: State, now: number): Promise<AskedApproval[]> {
  const names = await readdir(folder).catch(nothingThere)
  const found: AskedApproval[] = []
  for (const name of names.filter(one => NAME.test(one))) {
    const path = join(folder, name)
    const asked = read(await readFile(path, 'utf8').catch(nothingThere))
    const isValid = asked && asked.expiresAt > now && asked.expiresAt <= now + LASTS_MS
    if (isValid && name.endsWith(`.${state}`)) found.push(asked)
    if (isValid) continue
    await claimed(async () => {
      if (asked || (await stat(path)).mtimeMs <= now - LASTS_MS) await unlink(path)
    })
  }
  return found
}

function read(text: string | never[]): AskedApproval | undefined {
  try {
    const { code, expiresAt, by, ...wish } = JSON.parse(String(text))
    const isWhole =
      Number.isInteger(expiresAt) && typeof code === 'string' && factsOf(wish).every(fact => typeof fact === 'string')
    return isWhole ? { code, ...wish, expiresAt, ...(by && { by }) } : undefined
  } catch {
    return undefined
  }
}

const factsOf = (wish: Wish): string[] =>
  isAppeal(wish)
    ? [wish.service, wish.website, wish.decisionId, wish.statement]
    : [wish.service, wish.destination, wish.category]

const isFor = (wish: Wish) => {
  const facts = JSON.stringify(factsOf(wish))
  return (one: AskedApproval) => JSON.stringify(factsOf(one)) === facts
}

const pathOf = (folder: string, code: string, state: State) => join(folder, `${code}.${state}`)

function newCode(): string {
  const letters = [...randomBytes(64)].filter(byte => byte < 240).map(byte => LETTERS[byte % LETTERS.length])
  return letters.slice(0, CODE_LENGTH).join('')
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

function nothingThere(error: unknown): never[] {
  if (isMissing(error)) return []
  throw error
}

/** Returns whether the action found its file. */
async function claimed(act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function inFolder<T>(journal: string, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = `${journal}.approvals`
  try {
    return await act(folder)
  } catch (error) {
    throw usageError(
      'journal_unusable',
      `Cannot use the folder ${folder}: ${messageOf(error)}`,
      'Nothing was sent. Free the disk, fix the folder’s permissions, or name another journal.',
      'store',
    )
  }
}
