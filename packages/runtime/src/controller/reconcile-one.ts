import { ReconcileHistory } from "../history/reconcile-history.ts";
import type { ReconcileRecord } from "../history/reconcile-record.ts";
import { type ControllerParts, retryLimiterOf, termParts } from "./controller-unit.ts";
import type { Controller } from "./definition.ts";
import { ControllerInformers } from "./informers.ts";
import type { ReconcileReport } from "./reconcile-task.ts";
import { type SingleReconcile, Term } from "./term.ts";

/** Options of {@link reconcileOne}. */
export interface ReconcileOneOptions extends SingleReconcile {
  /** `namespace/name` of the primary object, or its name if the kind is cluster-scoped. */
  readonly key: string;
  /** Aborts waiting for the informers. */
  readonly signal: AbortSignal;
}

/** Result of {@link reconcileOne}. */
export interface SettledReconcile extends Pick<ReconcileReport, "outcome"> {
  /** Record of the reconcile in the history; undefined when there was nothing to do. */
  readonly record: ReconcileRecord | undefined;
}

/**
 * Reconciles one object once, with the context, the writes and the error handling of a running controller, but without following events. The caller
 * runs the cache.
 */
export async function reconcileOne(
  controller: Controller,
  parts: Omit<ControllerParts, "history">,
  { key, signal, ...single }: ReconcileOneOptions,
): Promise<SettledReconcile> {
  const history = new ReconcileHistory();
  using informers = new ControllerInformers(controller, parts.cache);
  await informers.ready(signal);
  const retry = retryLimiterOf(controller, parts)();
  const term = new Term({ ...termParts(controller, { ...parts, history }), informers, retry });
  const { outcome } = await term.reconcileOne(key, single);
  const [found] = [...history.keys()].filter((each) => each.key === key);
  return { outcome, record: found?.last };
}
