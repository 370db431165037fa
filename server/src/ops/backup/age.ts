import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'

export const AGE = '.age'

/** Replaces files in a folder by encrypted ones. @throws Error in one line if a recipient is invalid */
export async function encryptFiles(folder: string, names: readonly string[], recipients: readonly string[]) {
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new Error(`BACKUP_RECIPIENT ${recipient} is mistyped: copy it again from the output of age-keygen`)
    }
  }
  for (const name of names) await convert(join(folder, name), join(folder, name + AGE), each => encrypter.encrypt(each))
}

/**
 * Replaces encrypted files in a folder by their content.
 *
 * @param identityFile as age-keygen writes it; `-` is standard input, for a user who may not read that file
 * @throws Error in one line if the identity can't open them, or a file is damaged
 */
export async function decryptFiles(folder: string, names: readonly string[], identityFile: string) {
  const decrypter = new Decrypter()
  const lines = readIdentities(identityFile).split('\n')
  const identities = lines.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'))
  try {
    if (identities.length === 0) throw new Error('empty')
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new Error(
      `${identityFile} holds no identity of age: it must have a line AGE-SECRET-KEY-1…, as age-keygen writes`,
    )
  }
  for (const name of names) {
    try {
      await convert(join(folder, name), join(folder, name.slice(0, -AGE.length)), each => decrypter.decrypt(each))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // Of the disk.
      if (code !== undefined) throw error
      // Other messages may contain a part of the file.
      const why = /^no identity matched/.test(message)
        ? `is encrypted for another identity than ${identityFile}: use the right one`
        : 'is damaged: use another backup'
      throw new Error(`${name} ${why}`, { cause: error })
    }
  }
}

function readIdentities(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The user of the service should not be able to read the identity.
    const advice =
      code === 'EACCES' ? `give it as standard input: --identity - < ${file}` : 'name the file that age-keygen wrote'
    throw new Error(`the identity ${file} cannot be read (${code}): ${advice}`)
  }
}

type Bytes = ReadableStream<Uint8Array>

async function convert(from: string, to: string, through: (stream: Bytes) => Promise<Bytes>): Promise<void> {
  const converted = await through(Readable.toWeb(createReadStream(from)) as Bytes)
  await pipeline(Readable.fromWeb(converted as never), createWriteStream(to, { mode: 0o600, flush: true }))
  rmSync(from)
}
