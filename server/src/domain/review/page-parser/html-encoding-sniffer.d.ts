declare module 'html-encoding-sniffer' {
  interface SniffOptions {
    xml?: boolean
    transportLayerEncodingLabel?: string
    defaultEncoding?: string
    maxPrescanBytes?: number
  }

  /** Returns the name of an encoding, as the WHATWG Encoding Standard spells it. */
  export default function sniffEncoding(bytes: Uint8Array, options?: SniffOptions): string
}
