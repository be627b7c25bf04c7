import type { RequestReport } from "./request-count.ts";

/** Command to the operator's process. */
export type OperatorCommand =
  | "report"
  /** Write a heap snapshot to this file. */
  | `heap ${string}`;

/** Message from the operator's process. */
export type OperatorMessage =
  /** It is the leader and its caches are synced. */
  | { readonly is: "ready" }
  | ({ readonly is: "report" } & RequestReport)
  | { readonly is: "heap"; readonly memory: NodeJS.MemoryUsage };
