import type { IncomingMessage } from 'node:http'

/** Fields of a form as Stripe reads them: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export type Form = { [name: string]: string | Form }

export interface HeardForm {
  method: string
  path: string
  headers: IncomingMessage['headers']
  form: Form
}

/** Reads a whole request and the form in its body. */
export async function hearForm(request: IncomingMessage): Promise<HeardForm> {
  let body = ''
  for await (const chunk of request) body += chunk
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(body)) put(form, name.replaceAll(']', '').split('['), value)
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, form }
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
