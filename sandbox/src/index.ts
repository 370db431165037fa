export { type ApiRequest, type Fault, type SandboxApi, startApi, type WebhookEndpoint } from './api.ts'
export { sandboxPages } from './pages/routes.ts'
export { type Delivery, Sandbox, type SandboxOptions } from './sandbox.ts'
