// A real Kubernetes for suites
export { type RealCluster, type RealClusterOptions, realCluster, whyNoRealCluster } from "./real-cluster.ts";
export { type ApiAccess, type ApiRequest, type ApiResponse, requestApi } from "./api.ts";
export type { ClusterKind } from "./state.ts";
export { loseNode, type LoseNodeOptions } from "./lose-node.ts";

// Charts
export { helmPath, whyNoHelm } from "./helm.ts";

// Programs in other languages, for comparisons
export {
  buildGoPeer,
  buildOnce,
  buildRustPeer,
  type GoPeerOptions,
  installNode,
  installNodePeer,
  type PeerBuildOptions,
  type PeerProgram,
  type RustPeerOptions,
  whyNoTool,
} from "./peer-programs.ts";

// Other programs
export { run } from "./run.ts";

// The command
export { kubectl, type KubectlOptions } from "./kubectl.ts";

// Errors
export {
  BinariesMissingError,
  BusyError,
  CacheUnwritableError,
  ClusterStateError,
  CommandFailedError,
  ComponentFailedError,
  DiskFullError,
  GoMissingError,
  InterruptedError,
  KubeconfigUnusableError,
  NodeRequirementsError,
  PortTakenError,
  RealClusterUnavailableError,
  ToolMissingError,
} from "./errors.ts";
