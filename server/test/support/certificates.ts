import { type GenerateResult, generate } from 'selfsigned'

export interface KeyAndCertificate {
  key: string
  cert: string
}

export interface Authority {
  /** Certificate of the authority in PEM, for those who are to trust it. */
  cert: string
  /** An authority below this one. */
  issueAuthority(name: string): Promise<Authority>
  /** A certificate for `name`, valid from `notBefore` to `notAfter`. */
  issue(name: string, validity?: { notBefore?: Date; notAfter?: Date }): Promise<KeyAndCertificate>
}

const DAY_MS = 24 * 60 * 60 * 1000
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS)

/** A certificate authority that exists for one test run. @param issuer of its own certificate; by default, itself */
export async function makeAuthority(
  name = 'Placard test authority',
  issuer?: { key: string; cert: string },
): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: daysFromNow(-30),
    notAfterDate: daysFromNow(30),
    ...(issuer && { ca: issuer }),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return {
    cert: ca.cert,
    issueAuthority: below => makeAuthority(below, { key: ca.private, cert: ca.cert }),
    issue: async (host, { notBefore = daysFromNow(-1), notAfter = daysFromNow(7) } = {}) =>
      keyAndCertificate(
        await generate([{ name: 'commonName', value: host }], {
          keyType: 'ec',
          algorithm: 'sha256',
          notBeforeDate: notBefore,
          notAfterDate: notAfter,
          ca: { key: ca.private, cert: ca.cert },
          extensions: serverExtensions(host),
        }),
      ),
  }
}

/** A self-signed certificate for `name`. */
export async function selfSigned(name: string): Promise<KeyAndCertificate> {
  return keyAndCertificate(
    await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate: daysFromNow(-1),
      notAfterDate: daysFromNow(7),
      extensions: serverExtensions(name),
    }),
  )
}

const serverExtensions = (name: string) => [
  { name: 'basicConstraints' as const, cA: false },
  { name: 'keyUsage' as const, digitalSignature: true, keyEncipherment: true },
  { name: 'extKeyUsage' as const, serverAuth: true },
  { name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: name }] },
]

const keyAndCertificate = ({ private: key, cert }: GenerateResult): KeyAndCertificate => ({ key, cert })
