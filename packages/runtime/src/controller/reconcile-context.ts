import { ArgumentError, type Clock, type KubeObject, type Stored } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import type { QueueItem } from "../queue/queue-item.ts";
import type { Span, Tracing } from "../tracing/tracing.ts";
import type { EventNote, ReconcileContext } from "./context.ts";
import type { Controller } from "./definition.ts";
import type { ControllerInformers } from "./informers.ts";
import type { ReconcileNotes } from "./reconcile-notes.ts";
import type { ReconcileTools } from "./reconcile-tools.ts";
import { performStep } from "./step.ts";

/** Consecutive failed reconciles of an object. */
export interface FailureStreak {
  readonly failures: number;
  /** Error of the last failed reconcile. */
  readonly error: unknown;
}

/** The part of a context that is the same for all reconciles of a controller. */
export interface ContextParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly clock: Clock;
  readonly serverClock: Clock;
  readonly writesStatus: boolean;
  readonly tracing: Tracing;
}

/** The part of a context that belongs to one reconcile. */
export interface ContextSubject {
  readonly object: Stored<KubeObject>;
  readonly item: QueueItem;
  readonly streak: FailureStreak | undefined;
  readonly tools: ReconcileTools;
  readonly signal: AbortSignal;
  readonly id: string;
  readonly log: Logger;
  readonly span: Span;
  readonly event: (event: EventNote) => void;
  readonly notes: ReconcileNotes;
}

/** Builds the argument of a reconciler. Its status functions throw an `ArgumentError` when the controller does not write the status. */
export function reconcileContext(
  { controller, informers, clock, serverClock, writesStatus, tracing }: ContextParts,
  { object, item, streak, tools, signal, id, log, span, event, notes }: ContextSubject,
): ReconcileContext {
  const writable = (): ReconcileTools => {
    if (writesStatus) return tools;
    const problem =
      "cannot be set, because the controller does not write it; set writesStatus: true in its definition.";
    throw new ArgumentError({ argument: `status of ${controller.definition.for.kind}`, problem });
  };
  const { name, namespace = "" } = object.metadata;
  return {
    object,
    name,
    namespace,
    key: item.key,
    owned: tools.owned,
    managed: tools.managed,
    watched: informers.watchedByName,
    all: informers.primary,
    cache: informers.reader,
    client: tools.client,
    signal,
    why: item.reasons,
    failures: streak?.failures ?? 0,
    lastError: streak?.error,
    id,
    log,
    span,
    clock,
    serverClock,
    setStatus: (change) => writable().draft.set(change),
    setCondition: (type, value) => writable().setCondition(type, value),
    removeCondition: (type) => writable().setCondition(type, undefined),
    setStatusPlan: (plan) => writable().setStatusPlan(plan),
    requireStatus: (isExpected, otherwise) => writable().draft.addRequirement({ isExpected, otherwise }),
    saveStatus: (options) => writable().saveStatus(signal, options),
    async step(stepName, work) {
      const begin = clock.monotonic();
      try {
        return await performStep(tracing, stepName, work);
      } finally {
        notes.stepped(stepName, clock.monotonic() - begin);
      }
    },
    recordDecision: (about, result) => notes.decided(about, result),
    recordDrift: (drift) => notes.corrected(drift),
    event,
  };
}
