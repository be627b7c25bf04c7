// Preview addresses in the status of sandboxes and groups.

import { type DeepReadonly, withoutUndefined } from "@homeostat/core";
import { previewHost } from "../api/names.ts";
import { endpointsVersion, type GatewayCounts, isServed, type PublishedEndpoint } from "../api/published-endpoints.ts";
import type { Endpoint } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";

/** Reason for which an endpoint does not work. */
export type EndpointProblem =
  | "NoPreviewDomain"
  | "TargetMissing"
  | "TargetUnsupported"
  | "HostConflict"
  | "RoutingKeyConflict"
  | "PolicyDenied"
  | "InvalidSpec"
  | "WaitingForGateway";

/** A preview address and what keeps it from working. */
export interface EndpointOutcome {
  readonly name: string;
  readonly url: string | undefined;
  /** The endpoint as gateways serve it; undefined if they must not. */
  readonly published: PublishedEndpoint | undefined;
  readonly problem: { readonly reason: EndpointProblem; readonly message: string } | undefined;
}

/** Input of {@link endpointOutcomes}. */
export interface EndpointsInput {
  readonly endpoints: readonly DeepReadonly<Endpoint>[];
  readonly namespace: string;
  readonly routingKey: string;
  /** Key of requests without a key, for hosts that do not contain the key of the object. Empty for the key of the object. */
  readonly defaultRoutingKey?: string | undefined;
  readonly preview: { readonly domain: string; readonly scheme: string };
  /** Reports whether a Service exists. */
  hasService(this: void, key: string): boolean;
  /** Reason for which no endpoint of the object may be served. */
  readonly refusal?: { readonly reason: EndpointProblem; readonly message: string } | undefined;
  /** Confirmations of gateways, from the status of the object. */
  readonly gateways?: readonly GatewayCounts[] | undefined;
}

/** Returns the address and the state of each endpoint. */
export function endpointOutcomes(input: EndpointsInput): readonly EndpointOutcome[] {
  const outcomes = input.endpoints.map((endpoint) => outcomeOf(endpoint, input));
  const version = endpointsVersion(outcomes.flatMap(({ published }) => published ?? []));
  if (isServed(input.gateways, version)) return outcomes;
  const message = (input.gateways ?? []).some(({ total }) => total > 0)
    ? "not all gateways serve the address yet"
    : "no gateway serves the address";
  const waiting = { reason: "WaitingForGateway", message } as const;
  return outcomes.map((outcome) => (outcome.problem === undefined ? { ...outcome, problem: waiting } : outcome));
}

function outcomeOf(endpoint: DeepReadonly<Endpoint>, input: EndpointsInput): EndpointOutcome {
  const { name, target, host: chosen, path, auth } = endpoint;
  const { routingKey, defaultRoutingKey = "", preview, hasService, refusal } = input;
  if (preview.domain === "") {
    const message = "the operator has no preview domain; set preview.domain in its configuration";
    return { name, url: undefined, published: undefined, problem: { reason: "NoPreviewDomain", message } };
  }
  const host = chosen?.toLowerCase() ?? previewHost({ endpoint: name, routingKey, domain: preview.domain });
  const url = `${preview.scheme}://${host}${path === "/" ? "" : path}`;
  const not = (reason: EndpointProblem, message: string): EndpointOutcome => ({
    name,
    url,
    published: undefined,
    problem: { reason, message },
  });
  if (refusal !== undefined) return not(refusal.reason, refusal.message);
  if (!host.endsWith(`.${preview.domain}`))
    return not("InvalidSpec", `host ${host} is not under the preview domain ${preview.domain}; change it`);
  const parsed = parseEndpointTarget(target);
  if (parsed === undefined) return not("InvalidSpec", `target ${target} is not the URL of a Service`);
  if (parsed.scheme === "https")
    return not("TargetUnsupported", "the gateway does not connect to Services with TLS; use an http or grpc target");
  const service = `${parsed.namespace}/${parsed.service}`;
  if (!hasService(service)) return not("TargetMissing", `Service ${service} does not exist`);
  // Only a host that the user chose can be without a key: the generated one contains that of the object.
  const isOpen = chosen !== undefined && defaultRoutingKey !== "";
  const key = isOpen ? { defaultRoutingKey } : { routingKey };
  return { name, url, published: { name, host, target, auth, path, ...key }, problem: undefined };
}

/** Returns the field `status.endpoints`. */
export function endpointFields(outcomes: readonly EndpointOutcome[]) {
  return outcomes.map(({ name, url, published, problem }) => ({
    ...(published !== undefined && withoutUndefined(published)),
    name,
    ...(url !== undefined && { url }),
    ready: problem === undefined,
  }));
}
