import type { Destination, ForwardPlan, RespondPlan } from "../router/route-plan.ts";

export const baseline: Destination = {
  namespace: "shop",
  service: "cart",
  kind: "baseline",
  sandbox: "",
  workload: "",
};

/** Returns a plan that forwards without changes. */
export function forwardTo(targets: readonly string[], path: string, changes: Partial<ForwardPlan> = {}): ForwardPlan {
  return {
    type: "forward",
    destination: baseline,
    workload: "shop/cart",
    targets,
    upstreamProtocol: "http2",
    path,
    edits: { remove: [], set: [] },
    responseHeaders: [],
    delayMs: 0,
    ...changes,
  };
}

/** Returns a plan of a response of the proxy. */
export function respondWith(changes: Partial<RespondPlan> = {}): RespondPlan {
  return {
    type: "respond",
    destination: baseline,
    status: 503,
    grpcStatus: 14,
    headers: [["retry-after", "5"]],
    body: "Workload cart is unavailable.\n",
    delayMs: 0,
    ...changes,
  };
}
