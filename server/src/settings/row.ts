/** One environment variable. */
export type Row = {
  meaning: string
  /** Parses a value. @throws Error whose message continues after the setting's name: "must be …" */
  parse(value: string): unknown
} & (
  | {
      /** The value if none is set. */
      default: string
    }
  | {
      /** What leaving it unset means, in words; its value is then undefined. */
      unset: string
    }
)
