// Kubeconfig
export { connectionOf, type Connection, type Identity, type TlsOptions } from "./kubeconfig/connection.ts";
export { KubeconfigError, type KubeconfigFault } from "./kubeconfig/errors.ts";
export { inClusterConnection, isInCluster, serviceAccountFolder } from "./kubeconfig/in-cluster.ts";
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
export { ProxyError } from "./sockets/proxy.ts";

// Transport and its layers
export {
  type Body,
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
export { parseWarnings, type Warning } from "./transport/warning-header.ts";
export { type WarningOptions, withWarnings } from "./transport/warnings.ts";

// Objects in bytes
export { LineSplitter, type OnLine } from "./scan/line-splitter.ts";
export { type ListHead, ListScanner, type OnItem } from "./scan/list-scanner.ts";
export { emptySpan, type ObjectSpan, scanObject } from "./scan/scan-object.ts";

// Errors
export { type MalformedAnswer, MalformedAnswerError, TooLongError } from "./errors.ts";
