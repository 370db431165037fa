import { Problem } from '../../platform/http/problem.ts'

export interface PageAtCursor {
  /** The cursor of this page; undefined on the first page. */
  cursor: string | undefined
  /** Undefined on the last page. */
  nextCursor: string | undefined
}

interface PagerProps {
  /** Path of the first page; undefined on that page. */
  first: string | undefined
  firstText: string
  /** Path of the next page; undefined on the last page. */
  next: string | undefined
  nextText: string
  rel?: 'next'
  /** Makes the links look like buttons. */
  class?: 'btn'
}

/** Links to the first and the next page of a list, if there are any. */
export function Pager({ first, firstText, next, nextText, rel, class: look }: PagerProps) {
  if ((first ?? next) === undefined) return null
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && (
        <a class={look} href={first}>
          {firstText}
        </a>
      )}
      {next !== undefined && (
        <a class={look} rel={rel} href={next}>
          {nextText}
        </a>
      )}
    </nav>
  )
}

/**
 * Returns the cursor of a list in `after`, or undefined if there is none.
 *
 * @param read returns undefined for anything that is no cursor
 * @throws Problem invalid_cursor
 */
export function cursorIn<Cursor>(
  { after }: { after?: unknown },
  read: (text: unknown) => Cursor | undefined,
): Cursor | undefined {
  if (after === undefined) return undefined
  const cursor = read(after)
  if (cursor) return cursor
  throw new Problem('invalid_cursor', { field: 'after' })
}

/** Returns the cursor of a board as it was sent. @throws Problem invalid_cursor if there are several */
export function cursorOf({ cursor }: { cursor?: unknown }): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor
  throw new Problem('invalid_cursor', { field: 'cursor' })
}
