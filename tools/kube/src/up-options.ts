import type { Environment } from "./paths.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { ClusterKind } from "./state.ts";

/** What to start. */
export interface UpOptions {
  readonly name: string;
  readonly kind: ClusterKind;
  readonly env: Environment;
  /** The port of the API server; chosen when left away. */
  readonly port?: number | undefined;
  /** Flags for the API server after ours, such as `--feature-gates=…`. */
  readonly apiserverFlags?: readonly string[];
  /** The process the cluster is for. When that is gone, the cluster is cleaned away by whoever comes next. */
  readonly owner?: ProcessIdentity | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly report: (line: string) => void;
}
