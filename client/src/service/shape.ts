/**
 * Checks a value from outside: returns where it first differs, as a path such as `ownership.sensitive` (empty for the
 * value itself), or undefined if it fits. The path repeats nothing of the value, which may be private. `schema` says
 * the same to others.
 */
export type Shape<T> = ((value: unknown) => string | undefined) & {
  readonly of?: T
  readonly schema: JsonSchema
}

/** A JSON Schema, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of the values that fit a shape. */
export type Of<S> = S extends Shape<infer T> ? T : never

export const text = matching<string>({ type: 'string' }, value => typeof value === 'string')
/** Bytes, which have no JSON Schema. */
export const bytes = matching<Uint8Array>({}, value => value instanceof Uint8Array)
export const flag = matching<boolean>({ type: 'boolean' }, value => typeof value === 'boolean')
export const whole = matching<number>({ type: 'integer' }, value => Number.isInteger(value))
export const wholeFrom = (least: number) =>
  matching<number>({ type: 'integer', minimum: least }, value => Number.isInteger(value) && Number(value) >= least)
export const wholeOrNull = matching<number | null>(
  { type: ['integer', 'null'] },
  value => value === null || Number.isInteger(value),
)
export const textOrNull = matching<string | null>(
  { type: ['string', 'null'] },
  value => value === null || typeof value === 'string',
)

/** Exactly one of these values. */
export const only = <const T extends string | number | boolean>(...values: T[]) =>
  matching<T>({ enum: values }, value => values.some(one => one === value))

/** An object with whatever fields. */
export const record = matching<Record<string, unknown>>(
  { type: 'object' },
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** An address that a person may open: it must not run anything. */
export const address = matching<string>(
  { type: 'string', format: 'uri' },
  value => typeof value === 'string' && URL.canParse(value) && /^(https?|mailto):$/.test(new URL(value).protocol),
)

/** A field that may be absent. */
export const optional = <T>(shape: Shape<T>): Shape<T | undefined> & { readonly mayBeAbsent: true } =>
  Object.assign((value: unknown) => (value === undefined ? undefined : shape(value)), {
    schema: shape.schema,
    mayBeAbsent: true as const,
  })

export function list<T>(item: Shape<T>): Shape<T[]> {
  const check = (value: unknown) => {
    if (!Array.isArray(value)) return ''
    for (const [index, each] of value.entries()) {
      const wrong = item(each)
      if (wrong !== undefined) return join(`[${index}]`, wrong)
    }
    return undefined
  }
  return Object.assign(check, { schema: { type: 'array', items: item.schema } })
}

type Fields = Record<string, Shape<unknown>>
type Absent<F> = { [K in keyof F]: F[K] extends { mayBeAbsent: true } ? K : never }[keyof F]
type ObjectOf<F> = { [K in keyof F as Exclude<K, Absent<F>>]: Of<F[K]> } & {
  [K in keyof F as Extract<K, Absent<F>>]?: Exclude<Of<F[K]>, undefined>
}

/** An object with these fields. Further fields are allowed: a later version of the contract may add some. */
export function object<const F extends Fields>(fields: F): Shape<{ [K in keyof ObjectOf<F>]: ObjectOf<F>[K] }> {
  const all = Object.entries(fields)
  const check = (value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ''
    for (const [name, shape] of all) {
      const wrong = shape(Object.hasOwn(value, name) ? (value as Fields)[name] : undefined)
      if (wrong !== undefined) return join(name, wrong)
    }
    return undefined
  }
  return Object.assign(check, {
    schema: {
      type: 'object',
      properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
      required: all.flatMap(([name, shape]) => ('mayBeAbsent' in shape ? [] : name)),
    },
  })
}

/** Returns where a value first differs from a shape, as text; undefined if it fits. */
export function misfit(shape: Shape<unknown>, value: unknown): string | undefined {
  const wrong = shape(value)
  return wrong === '' ? 'the body' : wrong
}

function matching<T>(schema: JsonSchema, fits: (value: unknown) => boolean): Shape<T> {
  return Object.assign((value: unknown) => (fits(value) ? undefined : ''), { schema })
}

const join = (name: string, path: string) => (path === '' || path.startsWith('[') ? name + path : `${name}.${path}`)
