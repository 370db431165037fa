import type { Attributes } from './page-elements.ts'

interface Form {
  /** Addresses as written, of the form and of buttons that override it. */
  actions: string[]
  asksPassword: boolean
}

/** Matches a page's forms with their fields as a browser would, and finds those that ask for a password. */
export class PageForms {
  readonly #forms: Form[] = []
  readonly #byId = new Map<string, Form>()
  /** Fields that name their form by id, which may come later in the page. */
  readonly #loose: { attributes: Attributes; id: string }[] = []
  #current: Form | undefined

  open(name: string, attributes: Attributes): void {
    if (name === 'form') this.#openForm(attributes)
    else if (name !== 'input' && name !== 'button') return
    else if (attributes.form !== undefined) this.#loose.push({ attributes, id: attributes.form })
    else if (this.#current !== undefined) addField(this.#current, attributes)
  }

  /** Only its own end tag ends a form; wrongly nested elements do not. */
  close(): void {
    this.#current = undefined
  }

  /** Where password forms post to, as written; empty means the page itself. */
  passwordActions(): string[] {
    for (const { attributes, id } of this.#loose) {
      const form = this.#byId.get(id)
      if (form !== undefined) addField(form, attributes)
    }
    return this.#forms.filter(form => form.asksPassword).flatMap(form => form.actions)
  }

  #openForm(attributes: Attributes): void {
    if (this.#current !== undefined) return
    this.#current = { actions: [attributes.action ?? ''], asksPassword: false }
    this.#forms.push(this.#current)
    if (attributes.id && !this.#byId.has(attributes.id)) this.#byId.set(attributes.id, this.#current)
  }
}

function addField(form: Form, attributes: Attributes): void {
  if (attributes.type?.toLowerCase() === 'password') form.asksPassword = true
  if (attributes.formaction) form.actions.push(attributes.formaction)
}
