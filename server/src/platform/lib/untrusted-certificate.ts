/** Codes of OpenSSL, or its words for them, for a chain that ends at no authority that this process trusts. */
const UNTRUSTED =
  /self[-_]signed[ _]cert|unable[ _]to[ _](get[ _](local[ _])?issuer|verify[ _](the[ _]first|leaf)[ _])/i

/**
 * Returns what to do if a server's certificate is not trusted. It continues a message, and is empty for other errors.
 *
 * @param why code or message of an error
 */
export const trustAdvice = (why: string): string =>
  UNTRUSTED.test(why)
    ? '. If an authority of your own issued its certificate, name the file of that authority in NODE_EXTRA_CA_CERTS'
    : ''
