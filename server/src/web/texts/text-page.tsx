import { type ComponentChildren, cloneElement, Fragment, isValidElement, toChildArray, type VNode } from 'preact'
import { CLIENT_PATH } from '../../platform/http/links.ts'
import { Entry, PageHead } from '../ui/elements.tsx'
import { type Frame, Layout, renderDocument } from '../ui/layout.tsx'

/** The fragment and name of each part of a page. */
type Parts = readonly (readonly [id: string, name: string])[]

interface TextPage extends Pick<Frame, 'links' | 'title' | 'description' | 'scripts'> {
  path: string
  /** Below the title. */
  lead?: string
  /** Instead of the headings of the text. */
  parts?: Parts
  /** Whether its headings have numbers. */
  isNumbered?: boolean
}

const PAGES = [
  ['/rules', 'Rules'],
  ['/how-boards-work', 'How boards work'],
  ['/privacy', 'Privacy'],
  ['/transparency', 'Transparency'],
  ['/limits', 'Limits'],
  ['/support', 'Support'],
  ['/agents', 'For agents'],
  ['/api', 'API reference'],
  [CLIENT_PATH, 'Client'],
] as const

/** Renders a long text next to the lists of text pages and of its parts. */
export function renderText({ title, path, lead, isNumbered = true, ...page }: TextPage, content: VNode): string {
  const children = flat(content)
  return renderDocument(
    <Layout {...page} title={title} path={path} canonical={page.links.base + path}>
      <PageHead title={title}>{lead}</PageHead>
      <div class="book">
        <div class="toc" data-for-people>
          <nav aria-label="Text pages">
            <h2>Small print</h2>
            <ul>
              {PAGES.map(([href, name]) => (
                <li key={href}>
                  <a href={href} aria-current={href === path ? 'page' : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <OnThisPage parts={page.parts ?? children.filter(isHeading).map(partOf)} />
        </div>
        <article class={`sheet read ${isNumbered ? 'numbered' : 'api'}`}>{children.map(withId)}</article>
      </div>
    </Layout>,
  )
}

/** A list of links to the parts of a page. */
export const OnThisPage = ({ parts }: { parts: Parts }) => (
  <nav aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      {parts.map(([id, name]) => (
        <li key={id}>
          <a href={`#${id}`}>{name}</a>
        </li>
      ))}
    </ul>
  </nav>
)

interface TermProps {
  id?: string
  term: ComponentChildren
  note: ComponentChildren
  children: ComponentChildren
}

/** An entry of a list, with a note next to its term. */
export const Term = ({ term, note, ...entry }: TermProps) => (
  <Entry
    name={
      <>
        {term} <span>{note}</span>
      </>
    }
    {...entry}
  />
)

type Child = ReturnType<typeof toChildArray>[number]

/** The elements of a text, out of the fragments that hold them. */
const flat = (children: ComponentChildren): Child[] =>
  toChildArray(children).flatMap(child =>
    isValidElement(child) && child.type === Fragment ? flat(child.props.children) : child,
  )

type Heading = VNode<{ id?: string; children?: ComponentChildren }>

const isHeading = (child: Child): child is Heading => isValidElement(child) && child.type === 'h2'

function partOf({ props }: Heading): readonly [id: string, name: string] {
  const name = toChildArray(props.children).join('')
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  // An id begins with a letter.
  return [props.id ?? words.replace(/^(?=\d)/, 'for-'), name]
}

const withId = (child: Child) => (isHeading(child) ? cloneElement(child, { id: partOf(child)[0] }) : child)
