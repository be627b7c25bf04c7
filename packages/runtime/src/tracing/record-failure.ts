import { classify, type ErrorClass } from "@homeostat/core";
import type { Span } from "./tracing.ts";

/** Names of error classes in spans, the same as those of an `ErrorPolicy`. */
const classNames = { transient: "transient", terminal: "permanent", unknown: "unknown" } as const satisfies Record<
  ErrorClass,
  string
>;

/** Records an error in a span, with the class that decides when the reconcile is retried. */
export function recordFailure(span: Span, error: unknown): void {
  span.set({ "error.class": classNames[classify(error)] });
  span.failed(error);
}
