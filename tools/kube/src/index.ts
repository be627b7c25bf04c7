// A real Kubernetes for suites
export { type RealCluster, type RealClusterOptions, realCluster, whyNoRealCluster } from "./clusters/real-cluster.ts";
export { type ApiAccess, type ApiRequest, type ApiResponse, requestApi } from "./control-plane/api.ts";
export type { ClusterKind } from "./records/state.ts";
export { loseNode, type LoseNodeOptions } from "./clusters/lose-node.ts";

// Charts
export { helmPath, whyNoHelm } from "./builds/helm.ts";

// Programs in other languages, for comparisons
export {
  buildGoPeer,
  buildOnce,
  buildRustPeer,
  type GoPeerOptions,
  installNode,
  installNodePeer,
  installTool,
  type NpmTool,
  type PeerBuildOptions,
  type PeerProgram,
  type RustPeerOptions,
  whyNoTool,
} from "./builds/peer-programs.ts";

// Other programs
export { run } from "./processes/run.ts";

// The command
export { kubectl, type KubectlOptions } from "./builds/kubectl.ts";

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
