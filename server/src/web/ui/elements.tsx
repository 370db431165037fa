import { CATEGORIES } from '@placard/contract'
import type { ComponentChildren, ComponentProps } from 'preact'
import { ownPath } from '../../platform/http/links.ts'

interface Looks {
  /** More classes, such as `go` for the main step. */
  look?: string | undefined
}

const classOf = (name: string, look: string | undefined) => (look ? `${name} ${look}` : name)

/** The button that sends its form. */
export const Button = ({ look, ...button }: ComponentProps<'button'> & Looks) => (
  <button class={classOf('btn', look)} type="submit" {...button} />
)

/** A link that looks like a button. */
export const ButtonLink = ({ look, ...link }: ComponentProps<'a'> & Looks) => (
  <a class={classOf('btn', look)} {...link} />
)

interface SectionProps extends Looks {
  /** Of its heading. */
  id: string
  title: ComponentChildren
  /** Next to the heading. */
  note?: ComponentChildren
  children?: ComponentChildren
}

/** A part of a page, with its heading. */
export const Section = ({ id, title, note, look, children }: SectionProps) => (
  <section class={classOf('sec', look)} aria-labelledby={id}>
    <div class="sec-head">
      <h2 id={id}>{title}</h2>
      {note}
    </div>
    {children}
  </section>
)

/** The head of a page. @param isWide on pages that use the whole width of the screen */
export const PageHead = ({ title, isWide, children }: PageHeadProps) => (
  <div class={isWide ? 'wrap page-head' : 'page-head'}>
    <h1>{title}</h1>
    {children && <p class="lead">{children}</p>}
  </div>
)

interface PageHeadProps {
  title: string
  isWide?: boolean
  /** The sentences below the title. */
  children?: ComponentChildren
}

/** A fact of a record: its name, and what is known. */
export const Fact = ({ name, children, ...value }: ComponentProps<'dd'> & { name: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd {...value}>{children}</dd>
  </>
)

/** A fact in a list whose rows have a style or an address of their own. */
export const Entry = ({ id, ...fact }: ComponentProps<typeof Fact>) => (
  <div id={id}>
    <Fact {...fact} />
  </div>
)

/** Returns the text in a field of a form. Browsers count a line break as one character, but send two. */
export function typedIn(form: unknown, field: string): string {
  const value = (form as Record<string, unknown> | undefined)?.[field]
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''
}

interface FormProps extends ComponentProps<'form'> {
  /** Hidden fields. Those without a value are left out, and those with several are sent several times. */
  fields?: Readonly<Record<string, string | number | readonly string[] | undefined>>
}

/** A form of our own pages. */
export const Form = ({ fields = {}, children, ...form }: FormProps) => (
  <form method="post" {...form}>
    {Object.entries(fields).map(([name, value]) =>
      [value].flat().map(one => one !== undefined && <input type="hidden" name={name} value={one} key={name} />),
    )}
    {children}
  </form>
)

/** The attributes of an input, which `children` replace. */
type FieldProps = ComponentProps<'input'> & {
  id: string
  label: string
  /** What is wrong with the value. */
  fault?: string | undefined
}

/** A field of a form, with its label. */
export const Field = ({ label, fault, children, ...input }: FieldProps) => (
  <p class="field">
    <label for={input.id}>{label}</label>
    {fault && <Fault id={input.id}>{fault}</Fault>}
    {children ?? <input {...input} {...faultProps(input.id, fault)} />}
  </p>
)

/** What is wrong with the value of a field. @param id of the field */
export const Fault = ({ id, children }: { id: string; children: ComponentChildren }) => (
  <span class="fault" id={`${id}-fault`}>
    {children}
  </span>
)

/** Tells screen readers that the value of a field is wrong, and why. */
export const faultProps = (id: string, fault: string | undefined) =>
  fault ? { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-fault` } : {}

export const CategoryOptions = ({ chosen }: { chosen: string | undefined }) =>
  CATEGORIES.map(id => (
    <option value={id} key={id} selected={id === chosen}>
      {id}
    </option>
  ))

/**
 * The result of the visitor’s last action, at the top of the page. It has the focus, which was on a button of the page
 * that this one replaced, and would otherwise be lost. A fragment in the page's address prevents that.
 */
export function Message({ isGood, children }: { isGood?: boolean; children: ComponentChildren }) {
  return (
    <p class="callout" role={isGood ? 'status' : 'alert'} tabIndex={-1} autofocus>
      {children}
    </p>
  )
}

/** A link for the owner of a website, to prove that it is theirs. */
export const IsItYours = ({ url }: { url?: string | undefined }) => (
  <a href={ownPath(url)} rel="nofollow">
    Is this your website?
  </a>
)

/** Copies the element of that id. `assets/copy.js` shows it. */
export const CopyButton = ({ source, label }: { source: string; label: string }) => (
  <button class="btn ink low" type="button" data-copy={source} hidden>
    {label}
  </button>
)
