// Rules of route tables that a mesh cannot express. Every renderer reports them by name, so users read them in conditions.

import type { LimitationName } from "../api/limitation-names.ts";

/** Limitations of a mesh. */
export const limitationTexts: Readonly<Record<LimitationName, string>> = {
  /** Limitations of single routes. */
  HoldUnsupported: "a mesh cannot hold requests until a workload is ready; they fail while it is not",
  PercentNotSticky: "a mesh splits traffic per request; callers do not stay on one side",
  MiddlewareUnsupported: "faults and recordings need the routing proxy",
  ConditionUnsupported: "a condition of the route has a value that the mesh does not accept; the route is omitted",
  RoutesTooComplex: "the conditions of the routes of one key overlap too often; the routes are omitted",
  UserRouteUnsupported: "a route of the user cannot be combined with the condition on the routing key",
  CrossNamespaceDenied: "the Service of the workload is in a namespace that does not allow references from here",
  /** Limitations of a Service. */
  ServiceUnsupported: "a mesh cannot route requests of headless Services and of Services without a selector",
  HeaderFormsLimited: "the mesh does not accept regular expressions; keys in baggage are not read",
  /** Limitations of a renderer, which apply to all tables. */
  TracestateUnsupported: "keys in tracestate are not read",
  KeyOrderUndefined: "the destination of a request with different keys in several headers is undefined",
  RepeatedKeyHeaderUnsupported: "a key header with several values has no effect",
  EncodedKeysUnsupported: "percent-encoded keys in baggage are not read",
  BaggageRulesUnsupported:
    "with several members for the key in baggage, the first is not preferred, and long baggage is read to its end",
  PathNormalizationUndefined: "paths with dot segments or encoded slashes are compared according to the mesh",
  DotSegmentsUnsupported: "paths with dot segments are compared as they are",
  ProbesRouted: "probes of the kubelet with a key are routed like other requests",
  NodeRequestsRouted: "requests from the node with a key are routed like other requests",
  PreviewUnsupported: "preview addresses need the gateway of the sandbox operator",
};

export type { LimitationName } from "../api/limitation-names.ts";

/** A limitation that applies to a rendered table. */
export interface Limitation {
  readonly name: LimitationName;
  readonly message: string;
  /** Names of the sandboxes whose routes are affected, sorted; empty if all are. */
  readonly sandboxes: readonly string[];
}

/** Collects limitations: each name and detail once, with all affected sandboxes. */
export class Limitations {
  readonly #found = new Map<string, { name: LimitationName; message: string; sandboxes: Set<string> }>();

  add(name: LimitationName, { sandbox, detail }: { readonly sandbox?: string; readonly detail?: string } = {}): void {
    const message = detail === undefined ? limitationTexts[name] : `${limitationTexts[name]}: ${detail}`;
    const known = this.#found.get(message) ?? { name, message, sandboxes: new Set() };
    this.#found.set(message, known);
    if (sandbox !== undefined) known.sandboxes.add(sandbox);
  }

  /** Returns all limitations, sorted by message within each name. */
  list(): readonly Limitation[] {
    return [...this.#found.values()]
      .map(({ name, message, sandboxes }) => ({ name, message, sandboxes: [...sandboxes].sort() }))
      .sort((a, b) => (`${a.name} ${a.message}` < `${b.name} ${b.message}` ? -1 : 1));
  }
}
