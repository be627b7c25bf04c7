import type { RequestReport } from "./request-count.ts";

/** What the operator's process is told. */
export type Order =
  | "report"
  /** Write a snapshot of the heap to this file. */
  | `heap ${string}`;

/** What it tells. */
export type Told =
  /** It leads, and knows everything there is. */
  | { readonly is: "ready" }
  | ({ readonly is: "report" } & RequestReport)
  | { readonly is: "heap"; readonly memory: NodeJS.MemoryUsage };
