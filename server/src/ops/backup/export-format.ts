import { hash } from 'node:crypto'
import type { Table } from '../../platform/db/tables/index.ts'

/** Raised when older versions could not read the file. */
export const FORMAT = 1

/**
 * First line of an export. After it come blocks: a line that describes the block, and its rows, one per line, as
 * objects by column. Bytes are in hex. The last line is `End`.
 */
export interface HeaderLine {
  placard: 'export'
  header: Header
  /** SHA-256 in hex of the header's JSON. */
  sha256: string
}

export interface Header {
  format: number
  /** Random: an interrupted import continues only with the same export. */
  id: string
  /** ISO date-time. */
  at: string
  /** Version of Placard that wrote it. */
  version: string
  /** The last migration of the database. */
  schema: string
  engine: string
  /** Check values of the service keys that the site needs. */
  keys: string[]
  tables: { table: Table; rows: number }[]
}

export interface BlockLine {
  /** From 1. */
  block: number
  table: Table
  rows: number
  /** `hashOfBlock` */
  sha256: string
}

/** Last line. */
export interface End {
  end: true
  blocks: number
  rows: number
  /** SHA-256 in hex of the whole text before this line. */
  sha256: string
}

export const sha256 = (text: string): string => hash('sha256', text)

/** @param text the rows, each with its line break */
export const hashOfBlock = (block: number, table: Table, text: string): string => sha256(`${block} ${table}\n${text}`)
