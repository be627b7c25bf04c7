import type { Tracing } from "../tracing/tracing.ts";

/** Performs a step of a reconcile in a child span of the current one. */
export async function performStep<R>(tracing: Tracing, name: string, work: () => R | Promise<R>): Promise<R> {
  return tracing.span(name, { step: name }, async () => work());
}
