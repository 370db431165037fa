/**
 * Reads the body of another server's reply, which might never end.
 *
 * @throws Error with the message `tooLong` once there are more bytes than allowed
 */
export async function readAtMost(bytesMax: number, body: Response['body'], tooLong: string): Promise<Buffer> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(tooLong)
    read.push(chunk)
  }
  return Buffer.concat(read)
}
