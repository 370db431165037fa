interface Message {
  method: string
  params?: Record<string, unknown> | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown) => typeof value === 'string'

/**
 * Returns what is wrong with the parameters of a message to an MCP server, and what to do. MCP's library would answer
 * with what its validator prints.
 */
export function wrongParams({ method, params = {} }: Message): string | undefined {
  const { name, arguments: args = {}, uri, cursor, protocolVersion, capabilities, clientInfo } = params
  switch (method) {
    case 'initialize':
      return params._meta ||
        (isText(protocolVersion) &&
          isObject(capabilities) &&
          isObject(clientInfo) &&
          [clientInfo.name, clientInfo.version].every(isText))
        ? undefined
        : 'params must have protocolVersion, capabilities and clientInfo with name and version. Send them as MCP says.'
    case 'tools/call':
    case 'prompts/get':
      if (!isText(name)) return `params.name must be text. Take a name from ${method.split('/')[0]}/list.`
      if (!isObject(args))
        return 'params.arguments must be an object. Send the arguments by their names, or leave it out if there are none.'
      return method === 'tools/call' || Object.values(args).every(isText)
        ? undefined
        : 'The arguments of a prompt must be text. Send each one as text.'
    case 'resources/read':
      return isText(uri) ? undefined : 'params.uri must be text. Take an address from resources/list.'
    case 'tools/list':
    case 'prompts/list':
    case 'resources/list':
    case 'resources/templates/list':
      return cursor === undefined || isText(cursor) ? undefined : 'params.cursor must be text. Leave it out to begin.'
  }
  return undefined
}
