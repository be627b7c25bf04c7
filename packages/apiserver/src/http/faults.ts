import type { Clock } from "@homeostat/core";
import type { ServerStatus } from "../status/status.ts";
import type { HandlerResponse, Handler, ServerRequest } from "./handler.ts";
import { statusResponse } from "./status-response.ts";

/** Action of an injected fault. */
export type FaultAction =
  /** Respond with this status. */
  | { readonly do: "fail"; readonly status: ServerStatus }
  /** Continue after a delay on the server's clock. */
  | { readonly do: "delay"; readonly ms: number }
  /** Never respond: the client gives up, or the server's time limit passes. */
  | { readonly do: "hang" }
  /** Close the connection without a response. */
  | { readonly do: "cut" };

/** An injected fault: the requests it applies to, and its action. */
export interface Fault {
  /** Requests that count. Default: all. */
  readonly match?: (request: ServerRequest) => boolean;
  /** Number of the first matching request that fails, starting at 1. Default 1. */
  readonly nth?: number;
  /** Number of matching requests that fail. Default 1. */
  readonly times?: number;
  /**
   * `before`: the request is not handled, so nothing has changed. `after`: it was handled, but the client does not
   * learn the result.
   */
  readonly when: "before" | "after";
  readonly action: FaultAction;
}

/** A fault that was added. */
export interface ActiveFault {
  /** Number of requests that have failed so far. */
  readonly happened: number;
  /** Removes the fault. */
  remove(): void;
}

/**
 * Injected faults, for tests of clients.
 *
 * @example
 * faults.add({ match: ({ info }) => info.verb === "update", nth: 3, when: "after", action: { do: "cut" } });
 */
export class Faults {
  readonly #plans = new Set<Plan>();

  /** Adds a fault. */
  add(fault: Fault): ActiveFault {
    const plan: Plan = { fault, seen: 0, happened: 0 };
    this.#plans.add(plan);
    return {
      get happened() {
        return plan.happened;
      },
      remove: () => void this.#plans.delete(plan),
    };
  }

  /** True if there are no faults, so that callers can skip {@link Faults.of}. */
  get isEmpty(): boolean {
    return this.#plans.size === 0;
  }

  /**
   * Returns the actions for a request in the order in which the faults were added, and counts the request. Call it once
   * per request.
   */
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

/** Dependencies of {@link handleWithFaults}. */
export interface FaultyHandling {
  readonly handler: Handler;
  readonly faults: Faults;
  /** Clock for delays. */
  readonly clock: Clock;
}

/**
 * Calls the handler with injected faults. Returns its response or the one of a fault; `cut` if the connection must be
 * closed.
 */
export async function handleWithFaults(
  request: ServerRequest,
  signal: AbortSignal,
  { handler, faults, clock }: FaultyHandling,
): Promise<HandlerResponse | "cut"> {
  const actions = faults.of(request);
  if (actions === undefined) return handler(request, signal);
  const injected = await applyFaults(actions.before, { request, signal, clock });
  if (injected !== undefined) return injected;
  const response = await handler(request, signal);
  return (await applyFaults(actions.after, { request, signal, clock })) ?? response;
}

async function applyFaults(
  actions: readonly FaultAction[],
  { request, signal, clock }: { readonly request: ServerRequest; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<HandlerResponse | "cut" | undefined> {
  for (const action of actions) {
    if (action.do === "cut") return "cut";
    if (action.do === "fail") return statusResponse(action.status, { isPretty: request.isPretty });
    await clock.sleep(action.do === "hang" ? Infinity : action.ms, signal);
  }
  return undefined;
}
