import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'

/** The ending of an encrypted file's name. */
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
 * @throws Error in one line if the identity can't open them, or a file was changed
 */
export async function decryptFiles(folder: string, names: readonly string[], identityFile: string) {
  const decrypter = new Decrypter()
  const lines = readFileSync(identityFile === '-' ? 0 : identityFile, 'utf8').split('\n')
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
      const why = (error as Error).message
      throw new Error(`${name} cannot be decrypted with ${identityFile} (${why}): use the right identity`, {
        cause: error,
      })
    }
  }
}

type Bytes = ReadableStream<Uint8Array>

async function convert(from: string, to: string, through: (stream: Bytes) => Promise<Bytes>): Promise<void> {
  const converted = await through(Readable.toWeb(createReadStream(from)) as Bytes)
  await pipeline(Readable.fromWeb(converted as never), createWriteStream(to, { mode: 0o600, flush: true }))
  rmSync(from)
}
