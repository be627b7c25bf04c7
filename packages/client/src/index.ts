// Client
export { Client, type ClientOptions } from "./client.ts";
export { createClient, type CreateClientOptions } from "./create-client.ts";
export type { LayerOptions, OpenOptions } from "./api/open.ts";
export type { CallOptions, FieldValidation, WriteDefaults } from "./api/call.ts";
export { collectionPath, type ObjectName, objectPath, type PathResource, type Query, withQuery } from "./api/paths.ts";

// Reading
export { PageExpiredError } from "./api/expired.ts";
export type { GetOptions } from "./api/get.ts";
export type { ListBytes, ListOptions, Page } from "./api/list.ts";
export {
  type AnyFields,
  isMetadataOnly,
  metadataOnly,
  type MetadataType,
  type ObjectToSend,
  type PartialObjectMetadata,
  type UntypedObject,
} from "./api/objects.ts";
export type { PagesOptions } from "./api/pages.ts";
export type { SelectorOptions } from "./api/selectors.ts";
export type { Scale, Subresource } from "./api/subresource.ts";
export type { WatchEvent } from "./api/watch-event.ts";
export type { WatchLines, WatchOptions } from "./api/watch.ts";

// Writing
export type { Deleted, DeleteCollectionOptions, DeleteOptions, Preconditions, Propagation } from "./api/delete.ts";
export type { ApplyOptions, MergePatch, ObjectToApply, Partly, Patch } from "./api/patch.ts";
export type { UpdateOptions, WriteOptions } from "./api/write.ts";
export { WriteResponse } from "./api/write-response.ts";

// Access reviews, logs, version and discovery
export type { AccessSubject, AccessVerdict, PathAccess, ResourceAccess } from "./api/access.ts";
export type { LogLinesOptions, LogOptions } from "./api/logs.ts";
export type { ServerVersion } from "./api/version.ts";
export type { ApiResource, Discovery } from "./discovery/api-resource.ts";
export { type KindName, ResourceMapper, type ResourceMapperOptions } from "./discovery/resource-mapper.ts";

// Kubeconfig
export { connectionOf, type Connection, type Identity, type TlsOptions } from "./kubeconfig/connection.ts";
export { KubeconfigError, type KubeconfigFault } from "./kubeconfig/errors.ts";
export { inClusterConnection, isInCluster } from "./kubeconfig/in-cluster.ts";
export type {
  ClusterEntry,
  ContextEntry,
  ExecEntry,
  Impersonation,
  Kubeconfig,
  Material,
  Origin,
  UserEntry,
} from "./kubeconfig/kubeconfig.ts";
export { loadConnection, loadKubeconfig, type LoadOptions } from "./kubeconfig/load.ts";
export { mergeKubeconfigs } from "./kubeconfig/merge.ts";
export { parseKubeconfig } from "./kubeconfig/parse.ts";

// Credentials and sockets
export { CredentialsError } from "./credentials/errors.ts";
export type { PluginResult, RunPlugin } from "./credentials/exec-plugin.ts";
export type { FileReader } from "./credentials/files.ts";
export { connect, type ConnectOptions, type SocketTransport } from "./sockets/connect.ts";
export { openServerConnection, type ServerConnection } from "./sockets/server-connection.ts";
export { connectThrough, ProxyError } from "./proxy/proxy.ts";
export { proxyFromEnvironment } from "./proxy/proxy-environment.ts";

// Transport and its layers
export {
  type Body,
  isStream,
  isWrite,
  type Layer,
  layered,
  type Request,
  type Response,
  type Subject,
  type Timeouts,
  type Transport,
} from "./transport/transport.ts";
export { withCorrelation } from "./transport/correlation.ts";
export { FencedError, withFence } from "./transport/fence.ts";
export { type MetricDeclaration, restClientMetrics } from "./transport/metric-names.ts";
export {
  type MetricsOptions,
  type RequestObserver,
  type VerbLabels,
  withAttemptMetrics,
  withMetrics,
} from "./transport/metrics.ts";
export { type RateLimitOptions, withRateLimit } from "./transport/rate-limit.ts";
export { type RetryOptions, withRetries } from "./transport/retries.ts";
export { type DateSample, ServerClock, type ServerClockOptions, withServerClock } from "./transport/server-clock.ts";
export type { Warning } from "./transport/warning-header.ts";
export { type WarningOptions, withWarnings } from "./transport/warnings.ts";

// Scanning of JSON bytes
export { type ListHead, ListScanner, type OnItem } from "./scan/list-scanner.ts";
export { emptySpan, type ObjectSpan, scanObject, scanWhole } from "./scan/scan-object.ts";

// Errors
export { type MalformedResponse, MalformedResponseError, TooLongError } from "./errors.ts";
