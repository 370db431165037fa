import type { ComponentChildren } from 'preact'
import { drawSign } from '../../art/art.ts'
import { ArtSheet } from './art.tsx'

interface SignProps {
  /** Some short words in capitals, one below the other. They only decorate. */
  sign: string
  /** Of the sheet; else it is an outline. */
  tone?: 'ink' | 'green'
  heading: string
  children: ComponentChildren
}

const SHEET_HEIGHT = 500

/** A page that says no, or that something is over: a sheet in wood type, a heading, and what to do. */
export function SignPage({ sign, tone, heading, children }: SignProps) {
  return (
    <article class="err">
      <div class={`sign ${tone ?? 'plain'}`}>
        <ArtSheet height={SHEET_HEIGHT} svg={drawSign(sign, SHEET_HEIGHT)} />
      </div>
      <div>
        <h1>{heading}</h1>
        {children}
      </div>
    </article>
  )
}
