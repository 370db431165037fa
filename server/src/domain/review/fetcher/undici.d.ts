// The fetcher only sends HTTP requests, so it loads only that part of undici: with its fetch, caches and websockets, a
// process needs 13 MB more. `index.js` of undici combines these parts in the same way.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}
declare module 'undici/lib/api/api-request.js' {
  import type { Client, Dispatcher } from 'undici'
  export default function request(this: Client, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
}
declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici'
  export default errors
}
