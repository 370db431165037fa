/** Fields of a form as Stripe reads them: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export type Form = { [name: string]: string | Form }

export function nested(fields: URLSearchParams): Form {
  const form: Form = {}
  for (const [name, value] of fields) put(form, name.replaceAll(']', '').split('['), value)
  return form
}

function put(form: Form, [name = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    form[name] = value
    return
  }
  const inner = form[name]
  const next: Form = typeof inner === 'object' ? inner : {}
  form[name] = next
  put(next, rest, value)
}

/** The value in a form under a path of names, if any. */
export const fieldAt = (form: string | Form | undefined, ...path: string[]): string | Form | undefined =>
  path.reduce((value, name) => (typeof value === 'object' ? value[name] : undefined), form)
