// Server
export {
  type ApiAddress,
  type ApiListenOptions,
  ApiServer,
  type ApiServerOptions,
  type OpenServerOptions,
} from "./server/api-server.ts";
export { standardOptions, type StandardServerOptions } from "./server/standard-options.ts";

// Handlers
export type { AuthorizedRequest } from "./handlers/context.ts";

// Kinds
export { builtInRelease } from "./resources/release.ts";

// Custom resources
export type { CustomResourcesExtensionOptions } from "./server/custom-resources-extension.ts";

// Auth
export { SigningKey, TokenKey } from "./auth/jwt.ts";
export { parseTokenFile, type StaticToken, StaticTokens } from "./auth/static-tokens.ts";
export type { User, UserExtra } from "./auth/user.ts";

// Audit
export { type AuditLogFile, type AuditSink, openAuditLog } from "./audit/audit-log.ts";
export type { AuditEvent, AuditObject, AuditUser } from "./audit/event.ts";

// Storage
export {
  DataCorruptError,
  DataDiskFullError,
  DataInUseError,
  DataIoError,
  DataPermissionError,
  DataVersionError,
  StorageStoppedError,
} from "./storage/errors.ts";
export type { HistoryLimits } from "./storage/history.ts";
export type { DataNotice } from "./storage/recover.ts";
export type { StoreSnapshot } from "./storage/store.ts";

// Watch
export type { FaultCounts, WatchChoice, WatchedKeys, WatchFaults } from "./watch/faults.ts";

// HTTP
export { type Fault, type FaultAction, Faults, type ActiveFault } from "./http/faults.ts";
export type {
  HandlerResponse,
  ResponseHeaders,
  Handler,
  RequestHeaders,
  ServerRequest,
  StreamResponse,
  BufferedResponse,
} from "./http/handler.ts";
export { type KubeconfigContent, writeKubeconfig } from "./http/kubeconfig.ts";
export { handleLocally, type LocalFaults, type LocalRequestOptions, type LocalRequest } from "./http/local-request.ts";
export type { HttpObserver } from "./http/observer.ts";
export type { Peer, PeerCertificate } from "./http/peer.ts";
export { adminIdentity, type ClientIdentity, ServerCertificates } from "./http/server-certificates.ts";

// Requests
export { Query } from "./request/query.ts";
export type { RequestInfo } from "./request/request-info.ts";

// Codec
export { DecodeError } from "./codec/decode-error.ts";

// Status
export { internalErrorStatus } from "./status/refusals.ts";
export {
  failure,
  type Failure,
  type ServerStatus,
  type ServerStatusCause,
  type ServerStatusDetails,
  StatusError,
} from "./status/status.ts";

// Interfaces that a server takes as options
export type { NodeProvider, LogOptions, LogProvider } from "./endpoints/node-provider.ts";
export type { Endpoint, ServiceResolver } from "./admission/webhooks/webhook-client.ts";
