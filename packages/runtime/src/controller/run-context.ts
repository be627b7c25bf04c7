import { ArgumentError, type Clock, type KubeObject, type Stored } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import type { QueueItem } from "../queue/queue-item.ts";
import type { Span } from "../tracing/tracing.ts";
import type { EventNote, ReconcileContext } from "./context.ts";
import type { Controller } from "./definition.ts";
import type { ControllerInformers } from "./informers.ts";
import type { RunTools } from "./run-tools.ts";

/** What is known of an object from the runs before. */
export interface Trouble {
  /** How many of them failed in a row. */
  readonly failures: number;
  /** What the last of them failed with. */
  readonly error: unknown;
}

/** What the contexts of all runs have in common. */
export interface ContextParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly clock: Clock;
  readonly serverClock: Clock;
  readonly writesStatus: boolean;
}

/** What a context is about. */
export interface ContextSubject {
  readonly object: Stored<KubeObject>;
  readonly item: QueueItem;
  readonly trouble: Trouble | undefined;
  readonly tools: RunTools;
  readonly signal: AbortSignal;
  readonly id: string;
  readonly log: Logger;
  readonly span: Span;
  readonly event: (event: EventNote) => void;
}

/** Makes what a reconciler is given. */
export function reconcileContext(
  { controller, informers, clock, serverClock, writesStatus }: ContextParts,
  { object, item, trouble, tools, signal, id, log, span, event }: ContextSubject,
): ReconcileContext {
  const writable = (): RunTools => {
    if (writesStatus) return tools;
    const problem = "is set by a controller that does not write it. Say writesStatus: true in its definition.";
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
    failures: trouble?.failures ?? 0,
    lastError: trouble?.error,
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
    event,
  };
}
