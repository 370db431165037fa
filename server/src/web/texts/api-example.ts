import type { Call } from './api-document.ts'

/** A shell command that calls the running service. Secrets are variables, so that they do not appear in the command. */
export function curlExample({ method, path, parameters, example }: Call, base: string): string {
  const way = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find(parameter => parameter.in === 'path' && parameter.name === name)?.schema
    return encodeURIComponent(String(schema?.enum?.[0] ?? name))
  })
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${base}${way}`]
  if (example !== undefined) lines.push(`-H 'Content-Type: application/json'`)
  for (const { name, in: where, required } of parameters) {
    if (where === 'header' && required) lines.push(`-H "${name}: $${shellName(name)}"`)
  }
  if (example !== undefined)
    lines.push(`--data '${JSON.stringify(example, null, 2).replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}

const shellName = (header: string) => header.toUpperCase().replace(/\W/g, '_')
