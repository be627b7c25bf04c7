import type { Layer, Request, Response, Transport } from "@homeostat/client";
import { type Clock, NetworkError, systemClock } from "@homeostat/core";
import { jsonResponse } from "../memory/respond.ts";
import { keyIn, type RequestTarget, targetOf } from "../memory/target.ts";

/** A request as a fault sees it. */
export interface FaultyRequest {
  /** The Kubernetes verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  /** Plural with group and subresource: `deployments.apps`, `sites.example.com/status`. */
  readonly resource: string;
  /** `default/shop`; empty for a collection. A creation names the object in its body only. */
  readonly key: string;
  readonly method: Request["method"];
  readonly path: string;
}

/** Action of a fault. */
export type RequestFaultAction =
  /** Responds with an error. */
  | { readonly do: "fail"; readonly status: number; readonly reason: string; readonly message?: string }
  /** Continues after a delay. */
  | { readonly do: "delay"; readonly ms: number }
  /** Never responds: the request ends when its signal aborts. */
  | { readonly do: "hang" }
  /** Closes the connection. The client cannot know whether the request was carried out. */
  | { readonly do: "cut" };

/** A fault: the requests that it affects, and its action. */
export interface RequestFault {
  /** Requests that count. Default: all. */
  readonly match?: (request: FaultyRequest) => boolean;
  /** Number of the first matching request that is affected, starting at 1. Default: 1. */
  readonly nth?: number;
  /** Number of affected requests. Default: 1. */
  readonly times?: number;
  /** `before`: the request is not sent. `after`: it is carried out, and the client does not learn the result. */
  readonly when: "before" | "after";
  readonly action: RequestFaultAction;
}

/** A fault that was added. */
export interface AddedFault extends Disposable {
  /** Number of requests that were affected so far. */
  readonly happened: number;
}

interface Plan {
  readonly fault: RequestFault;
  seen: number;
  happened: number;
}

/**
 * Faults of the requests of one client, on any transport: sockets to a real cluster, an embedded cluster, or `reconcileOnce`.
 *
 * @example
 * const faults = new RequestFaults();
 * faults.add({ match: ({ verb }) => verb === "create", when: "after", action: { do: "cut" } });
 * const client = createClient(connection, { layers: [faults.layer] });
 */
export class RequestFaults {
  readonly #plans = new Set<Plan>();
  readonly #clock: Clock;

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  /** The layer for the option `layers` of clients, managers, `startOperator` and `reconcileOnce`. */
  get layer(): Layer {
    return (next) => ({ send: (request) => this.#send(request, next) });
  }

  /** Adds a fault. Disposing of the result removes it. */
  add(fault: RequestFault): AddedFault {
    const plan: Plan = { fault, seen: 0, happened: 0 };
    this.#plans.add(plan);
    return {
      get happened() {
        return plan.happened;
      },
      [Symbol.dispose]: () => void this.#plans.delete(plan),
    };
  }

  async #send(request: Request, next: Transport): Promise<Response> {
    const actions = this.#actionsFor(request);
    const injected = await this.#perform(actions.before, request);
    if (injected !== undefined) return injected;
    const response = await next.send(request);
    try {
      const replaced = await this.#perform(actions.after, request);
      if (replaced === undefined) return response;
      response.body.cancel();
      return replaced;
    } catch (error) {
      response.body.cancel();
      throw error;
    }
  }

  #actionsFor(request: Request): Record<RequestFault["when"], RequestFaultAction[]> {
    const actions: Record<RequestFault["when"], RequestFaultAction[]> = { before: [], after: [] };
    const about = describe(request);
    for (const plan of this.#plans) {
      const { match = () => true, nth = 1, times = 1, when, action } = plan.fault;
      if (!match(about)) continue;
      plan.seen += 1;
      if (plan.seen < nth || plan.happened >= times) continue;
      plan.happened += 1;
      actions[when].push(action);
    }
    return actions;
  }

  /** Performs actions in order. Returns the response of one that responds; undefined if the request goes on. */
  async #perform(actions: readonly RequestFaultAction[], request: Request): Promise<Response | undefined> {
    const { signal, method, path } = request;
    for (const action of actions) {
      switch (action.do) {
        case "fail": {
          const { status: code, reason, message = "injected fault" } = action;
          return jsonResponse(code, { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code });
        }
        case "delay":
          await this.#clock.sleep(action.ms, signal);
          break;
        case "hang":
          await this.#clock.sleep(Infinity, signal);
          break;
        case "cut":
          throw new NetworkError({ socketCode: "ECONNRESET", requestSent: true, request: { method, path } });
      }
    }
    return undefined;
  }
}

function describe(request: Request): FaultyRequest {
  const { method, path } = request;
  const target = targetOf(request);
  const { group, plural, namespace, name, subresource } = target;
  return {
    verb: verbOf(method, target),
    resource: `${plural}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`,
    key: name === "" ? "" : keyIn(namespace, name),
    method,
    path,
  };
}

function verbOf(method: Request["method"], { name, query }: RequestTarget): string {
  switch (method) {
    case "GET":
      return query.get("watch") !== null ? "watch" : name === "" ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
  }
}
