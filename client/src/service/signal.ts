/** An `AbortSignal`. Spelled out, so that these types need neither the DOM's nor Node's. */
export interface Signal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
