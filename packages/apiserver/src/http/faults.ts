import type { Clock } from "@homeostat/core";
import type { ServerStatus } from "../status/status.ts";
import type { Answer, Handler, ServerRequest } from "./handler.ts";
import { statusAnswer } from "./status-answer.ts";

/** What goes wrong with a request, on purpose. */
export type FaultAction =
  /** It is answered with this. */
  | { readonly do: "fail"; readonly status: ServerStatus }
  /** It goes on after a pause, which the clock of the server measures. */
  | { readonly do: "delay"; readonly ms: number }
  /** It is never answered: the client gives up, or the time limit of the server passes. */
  | { readonly do: "hang" }
  /** The connection is cut without an answer. */
  | { readonly do: "cut" };

/** Which requests something goes wrong with, and what. */
export interface Fault {
  /** Which requests count. All unless given. */
  readonly match?: (request: ServerRequest) => boolean;
  /** With which of those it begins, counted from 1. Default 1. */
  readonly nth?: number;
  /** How many times it happens. Default 1. */
  readonly times?: number;
  /** Before the request was handled, so that nothing has happened; or after, so that it has and the client does not know. */
  readonly when: "before" | "after";
  readonly action: FaultAction;
}

/** A fault that was ordered. */
export interface OrderedFault {
  /** How many times it has happened. */
  readonly happened: number;
  /** Takes it back. */
  remove(): void;
}

/**
 * Faults on demand, for tests of clients.
 *
 * @example
 * faults.add({ match: ({ info }) => info.verb === "update", nth: 3, when: "after", action: { do: "cut" } });
 */
export class Faults {
  readonly #plans = new Set<Plan>();

  /** Orders a fault. */
  add(fault: Fault): OrderedFault {
    const plan: Plan = { fault, seen: 0, happened: 0 };
    this.#plans.add(plan);
    return {
      get happened() {
        return plan.happened;
      },
      remove: () => void this.#plans.delete(plan),
    };
  }

  /** Whether none is ordered, so that requests need not be shown. */
  get isEmpty(): boolean {
    return this.#plans.size === 0;
  }

  /** What goes wrong with this request, in the order it was ordered. Every request is shown once, when it comes in. */
  of(request: ServerRequest): { before: readonly FaultAction[]; after: readonly FaultAction[] } | undefined {
    if (this.#plans.size === 0) return undefined;
    const before: FaultAction[] = [];
    const after: FaultAction[] = [];
    for (const plan of this.#plans) {
      const { match = () => true, nth = 1, times = 1, when, action } = plan.fault;
      if (!match(request)) continue;
      plan.seen += 1;
      if (plan.seen < nth || plan.happened >= times) continue;
      plan.happened += 1;
      (when === "before" ? before : after).push(action);
    }
    return { before, after };
  }
}

interface Plan {
  readonly fault: Fault;
  seen: number;
  happened: number;
}

/** What {@link answerWithFaults} needs. */
export interface FaultyHandling {
  readonly handler: Handler;
  readonly faults: Faults;
  /** Measures delays. */
  readonly clock: Clock;
}

/** Returns the handler's response, or what the faults ordered for this request make of it. `cut`: there is no response. */
export async function answerWithFaults(
  request: ServerRequest,
  signal: AbortSignal,
  { handler, faults, clock }: FaultyHandling,
): Promise<Answer | "cut"> {
  const actions = faults.of(request);
  if (actions === undefined) return handler(request, signal);
  const instead = await suffer(actions.before, { request, signal, clock });
  if (instead !== undefined) return instead;
  const answer = await handler(request, signal);
  return (await suffer(actions.after, { request, signal, clock })) ?? answer;
}

async function suffer(
  actions: readonly FaultAction[],
  { request, signal, clock }: { readonly request: ServerRequest; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Answer | "cut" | undefined> {
  for (const action of actions) {
    if (action.do === "cut") return "cut";
    if (action.do === "fail") return statusAnswer(action.status, { isPretty: request.isPretty });
    await clock.sleep(action.do === "hang" ? Infinity : action.ms, signal);
  }
  return undefined;
}
