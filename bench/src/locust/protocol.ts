import type { RequestReport } from "./request-count.ts";

/** What the operator's process is told. */
export type Order = "report";

/** What it tells. */
export type Told =
  /** It leads, and knows everything there is. */
  { readonly is: "ready" } | ({ readonly is: "report" } & RequestReport);
