// One stream of the aggregated discovery service: decides which response Envoy gets next.
//
// A new state is sent in two steps: clusters with their endpoints, then listeners with their routes. The second step waits for the confirmation of
// the first, and clusters that are no longer needed stay until Envoy has confirmed the routes that do not name them. Every route therefore refers to
// a cluster that Envoy knows.
//
// After a change of a cluster, Envoy waits for the endpoints of that cluster again, even if they are the same; after a change of a listener, it waits
// for its routes. It confirms clusters only when it has these endpoints, so the types of one step are sent without waiting for each other. A rejected
// response is not repeated; Envoy keeps what it has until the next state.

import { createHash } from "node:crypto";
import type { EnvoyOutput, EnvoyResource } from "../render/envoy.ts";
import {
  type DiscoveryRequest,
  type DiscoveryResponse,
  resourceTypes,
  type ResourceTypeUrl,
} from "./discovery-messages.ts";

const [clusterType, endpointType, listenerType, routeType] = resourceTypes;
const steps = [
  [clusterType, endpointType],
  [listenerType, routeType],
] as const;

/** The resources that a stream sends. */
export type EnvoyState = Pick<EnvoyOutput, "listeners" | "routes" | "clusters" | "endpoints">;

/** A response that Envoy has rejected. */
export interface Rejection {
  readonly typeUrl: ResourceTypeUrl;
  readonly message: string;
}

interface Subscription {
  /** Names of the resources; undefined for all. */
  names: ReadonlySet<string> | undefined;
  nonce: string;
  /** Version of the last response; undefined if the type must be sent again. */
  sentVersion: string | undefined;
  isAcknowledged: boolean;
  rejection: string | undefined;
}

/** The state of one stream. */
export class DiscoverySession {
  readonly #send: (response: DiscoveryResponse) => void;
  readonly #subscriptions = new Map<ResourceTypeUrl, Subscription>();
  #state: EnvoyState;
  #retired: Pick<EnvoyState, "clusters" | "endpoints"> = { clusters: [], endpoints: [] };
  #nonces = 0;

  constructor(state: EnvoyState, send: (response: DiscoveryResponse) => void) {
    this.#state = state;
    this.#send = send;
  }

  /** Replaces the state. */
  update(state: EnvoyState): void {
    this.#retired = {
      clusters: missing([...this.#state.clusters, ...this.#retired.clusters], state.clusters),
      endpoints: missing([...this.#state.endpoints, ...this.#retired.endpoints], state.endpoints),
    };
    this.#state = state;
    this.#advance();
  }

  /** Handles a request of Envoy. Requests for types that are never rendered are ignored, so Envoy has no such resources. */
  request({ typeUrl, names, nonce, error }: DiscoveryRequest): void {
    const type = resourceTypes.find((each) => each === typeUrl);
    if (type === undefined) return;
    const known = this.#subscriptions.get(type);
    // The request confirms an older response; another request will confirm the last one.
    if (known !== undefined && nonce !== known.nonce) return;
    const asked = names.length === 0 ? undefined : new Set(names);
    const subscription = known ?? {
      names: asked,
      nonce: "",
      sentVersion: undefined,
      isAcknowledged: true,
      rejection: undefined,
    };
    this.#subscriptions.set(type, subscription);
    if (known !== undefined) {
      known.isAcknowledged = true;
      known.rejection = error;
      if (!isSameSet(known.names, asked)) known.sentVersion = undefined;
      known.names = asked;
    }
    this.#advance();
  }

  /** True if Envoy has confirmed all resources of the current state. */
  get isSynced(): boolean {
    return this.#subscriptions.has(listenerType) && this.#next() === undefined && this.rejections.length === 0;
  }

  /** The last responses that Envoy has rejected. */
  get rejections(): readonly Rejection[] {
    return [...this.#subscriptions].flatMap(([typeUrl, { rejection }]) =>
      rejection === undefined ? [] : [{ typeUrl, message: rejection }],
    );
  }

  #advance(): void {
    for (;;) {
      const next = this.#next();
      if (next === "waiting") return;
      if (next === undefined) break;
      this.#respond(next);
    }
    const isRetiring = this.#retired.clusters.length > 0 || this.#retired.endpoints.length > 0;
    if (!isRetiring || this.rejections.length > 0) return;
    this.#retired = { clusters: [], endpoints: [] };
    this.#advance();
  }

  /** Returns the type to send next; undefined if Envoy has confirmed or rejected everything. */
  #next(): ResourceTypeUrl | "waiting" | undefined {
    for (const step of steps) {
      const due = step.find((type) => this.#isDue(type));
      if (due !== undefined) return due;
      if (step.some((type) => this.#subscriptions.get(type)?.isAcknowledged === false)) return "waiting";
    }
    return undefined;
  }

  #isDue(type: ResourceTypeUrl): boolean {
    const subscription = this.#subscriptions.get(type);
    return subscription?.isAcknowledged === true && subscription.sentVersion !== versionOf(this.#resources(type));
  }

  #respond(typeUrl: ResourceTypeUrl): void {
    const subscription = this.#subscriptions.get(typeUrl);
    if (subscription === undefined) return;
    const resources = this.#resources(typeUrl);
    this.#nonces += 1;
    const version = versionOf(resources);
    subscription.nonce = String(this.#nonces);
    subscription.sentVersion = version;
    subscription.isAcknowledged = false;
    this.#expire(typeUrl === clusterType ? endpointType : typeUrl === listenerType ? routeType : undefined);
    this.#send({ typeUrl, version, nonce: subscription.nonce, resources });
  }

  /** Marks a type to be sent again, even if it is unchanged. */
  #expire(type: ResourceTypeUrl | undefined): void {
    const subscription = type === undefined ? undefined : this.#subscriptions.get(type);
    if (subscription !== undefined) subscription.sentVersion = undefined;
  }

  #resources(type: ResourceTypeUrl): readonly EnvoyResource[] {
    const { listeners, routes, clusters, endpoints } = this.#state;
    const all = {
      [clusterType]: [...clusters, ...this.#retired.clusters],
      [endpointType]: [...endpoints, ...this.#retired.endpoints],
      [listenerType]: listeners,
      [routeType]: routes,
    }[type];
    const names = this.#subscriptions.get(type)?.names;
    return names === undefined ? all : all.filter((resource) => names.has(nameOf(resource)));
  }
}

function nameOf({ name, cluster_name: cluster }: EnvoyResource): string {
  return name ?? String(cluster);
}

function missing(before: readonly EnvoyResource[], present: readonly EnvoyResource[]): readonly EnvoyResource[] {
  const names = new Set(present.map(nameOf));
  return before.filter((resource) => !names.has(nameOf(resource)));
}

function isSameSet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  return a === b || (a?.size === b?.size && [...(a ?? [])].every((name) => b?.has(name) === true));
}

function versionOf(resources: readonly EnvoyResource[]): string {
  return createHash("sha256").update(JSON.stringify(resources)).digest("hex").slice(0, 16);
}
