import { type ComponentChildren, cloneElement, isValidElement, toChildArray, type VNode } from 'preact'
import { CLIENT_PATH } from '../../platform/http/links.ts'

interface BookProps {
  title: string
  /** Path of this page, to mark it in the list of text pages. */
  path: string
  /** Below the title. */
  lead?: string
  /** Instead of the headings of the text: the fragment and name of each part. */
  parts?: readonly (readonly [id: string, name: string])[]
  children: ComponentChildren
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

/** A long text next to the lists of text pages and of its parts. Its headings are numbered, unless the parts are given. */
export function Book({ title, path, lead, parts, children }: BookProps) {
  const text = parts ? children : toChildArray(children).map(withId)
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
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
          <nav aria-label="On this page">
            <h2>On this page</h2>
            <ul>
              {(parts ?? toChildArray(children).filter(isHeading).map(partOf)).map(([id, name]) => (
                <li key={id}>
                  <a href={`#${id}`}>{name}</a>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <article class={parts ? 'sheet read api' : 'sheet read numbered'}>{text}</article>
      </div>
    </>
  )
}

type Child = ReturnType<typeof toChildArray>[number]
type Heading = VNode<{ id?: string; children?: ComponentChildren }>

const isHeading = (child: Child): child is Heading => isValidElement(child) && child.type === 'h2'

function partOf({ props }: Heading): readonly [id: string, name: string] {
  const name = toChildArray(props.children).join('')
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  // An id begins with a letter.
  return [props.id ?? words.replace(/^(?=\d)/, 'for-'), name]
}

const withId = (child: Child) => (isHeading(child) ? cloneElement(child, { id: partOf(child)[0] }) : child)
