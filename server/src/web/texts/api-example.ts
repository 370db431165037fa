import type { Call, Schema } from './api-document.ts'

/** Example values that say more than the type alone. */
const TELLING: Record<string, unknown> = {
  destination: 'https://www.your-customer.com/',
  category: 'Developer Tools',
  targetBid: 25,
}

/** A shell command that calls the running service. Secrets are variables, so that they do not appear in the command. */
export function curlExample({ method, path, parameters, body }: Call, base: string): string {
  const way = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find(parameter => parameter.in === 'path' && parameter.name === name)?.schema
    return encodeURIComponent(String(schema ? exampleOf(name, schema) : name))
  })
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${base}${way}`]
  if (body) lines.push(`-H 'Content-Type: application/json'`)
  for (const { name, in: where, required } of parameters) {
    if (where === 'header' && required) lines.push(`-H "${name}: $${shellName(name)}"`)
  }
  if (body) lines.push(`--data '${JSON.stringify(exampleOf('', body), null, 2).replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}

const shellName = (header: string) => header.toUpperCase().replace(/\W/g, '_')

/** A minimal value that a schema accepts. */
function exampleOf(name: string, schema: Schema): unknown {
  const { properties, required = [], items, anyOf = [], oneOf = [], type } = schema
  if (schema.enum)
    return name in TELLING && schema.enum.includes(TELLING[name]) ? TELLING[name] : schema.enum[0]
  if (schema.const !== undefined) return schema.const
  const form = anyOf[0] ?? oneOf[0]
  if (form) return exampleOf(name, form)
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([field]) => required.includes(field))
        .map(([field, property]) => [field, exampleOf(field, property)]),
    )
  }
  if (name in TELLING) return TELLING[name]
  if (type === 'array') return items ? [exampleOf('', items)] : []
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return type === 'boolean' ? true : name
}
