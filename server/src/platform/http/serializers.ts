import build from 'fast-json-stringify'

type Serialize = (reply: unknown) => string

/** By the JSON of a schema: many operations have the same replies, and so have all services of one process. */
const built = new Map<string, Serialize>()

/**
 * Returns a function that writes replies as JSON by their schema. It is built for the first such reply: building those
 * of all operations takes a third of the CPU time of a start.
 */
export function serializerFor({ schema }: { schema: object }): Serialize {
  let serialize: Serialize | undefined
  return reply => {
    serialize ??= builtFor(schema)
    return serialize(reply)
  }
}

function builtFor(schema: object): Serialize {
  const key = JSON.stringify(schema)
  const serialize = built.get(key) ?? build(schema)
  built.set(key, serialize)
  return serialize
}
