export { type ApprovalRequest, type CheckRequest, PlacardClient, type QuoteRequest } from './client.ts'
export { type ErrorDetails, type ErrorKind, PlacardError } from './error.ts'
export type { CallOptions, ClientOptions } from './options.ts'
export { PrivateLink } from './secret.ts'
export type { FetchInit, FetchResponse } from './service/fetch.ts'
export type {
  Listing,
  ListingPage,
  ListingsRequest,
  SearchPage,
  SearchRequest,
  Tombstone,
} from './service/listings.ts'
export type { Capabilities, Check, Decision, Quote } from './service/replies.ts'
export type { OnRetry } from './service/retry.ts'
export type { AppealRequest } from './submissions/appeal.ts'
export type { BrowserApproval } from './submissions/browser-approval.ts'
export type { SubmissionEvents } from './submissions/events.ts'
export { type Merged, mergeSubmissions } from './submissions/move.ts'
export type { Publication, PublicReceipt } from './submissions/publication.ts'
export type { PublishRequest } from './submissions/publish.ts'
export type {
  Appeal,
  Approval,
  JournalRecord,
  OutcomeRecord,
  SubmissionRecord,
  SubmissionState,
} from './submissions/record.ts'
export type { Resumed, SubmissionStatus } from './submissions/recover.ts'
export { memoryStore, type SubmissionStore } from './submissions/store.ts'
