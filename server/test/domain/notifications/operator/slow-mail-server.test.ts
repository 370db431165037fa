// @module-tag slow
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { expect, it } from 'vitest'
import { mailSender } from '../../../../src/domain/notifications/operator/smtp.ts'
import { Secret } from '../../../../src/platform/lib/secret.ts'

it('waits for a mail server that checks a mail before it answers, so that the mail is not sent again', async () => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, _session, callback) => {
      await stream.resume().toArray()
      // Longer than the library waited for any other answer.
      await setTimeout(12_000)
      callback()
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  try {
    const { port } = server.server.address() as AddressInfo
    const send = mailSender({ url: new Secret(Buffer.from(`smtp://127.0.0.1:${port}`)), from: 'a@example.org' })
    const mail = {
      from: 'a@example.org',
      to: 'b@example.org',
      subject: 'A',
      text: 'B',
      messageId: '<a@b>',
      date: new Date(),
    }
    await expect(send(mail, AbortSignal.timeout(60_000))).resolves.toBeUndefined()
  } finally {
    await new Promise<void>(resolve => server.close(resolve))
  }
})
