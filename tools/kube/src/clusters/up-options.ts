import type { Environment } from "../cache/paths.ts";
import type { ProcessIdentity } from "../processes/process-identity.ts";
import type { ClusterKind } from "../records/state.ts";

/** Options of starting a cluster. */
export interface UpOptions {
  readonly name: string;
  readonly kind: ClusterKind;
  readonly env: Environment;
  /** Port of the API server. Default: a free one. */
  readonly port?: number | undefined;
  /** Number of nodes, for the kind `node`. Default: 1. */
  readonly nodes?: number | undefined;
  /** Additional flags of the API server, such as `--feature-gates=…`. */
  readonly apiserverFlags?: readonly string[];
  /** The owner of the cluster. When that process has exited, the next start of any cluster removes this one. */
  readonly owner?: ProcessIdentity | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly report: (line: string) => void;
}
