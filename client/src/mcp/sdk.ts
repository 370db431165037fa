// All that is used of MCP's library, so that `client/bundle.ts` can pack it into this one file: whoever installs the
// package gets no dependency, and only the command `mcp` loads it.
export {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as ListedTool,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
