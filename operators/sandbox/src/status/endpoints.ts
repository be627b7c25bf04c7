// Preview addresses in the status of sandboxes and groups.

import { type DeepReadonly, isEqual, withoutUndefined } from "@homeostat/core";
import { caBundleProblem } from "../api/ca-bundle.ts";
import { previewHost } from "../api/names.ts";
import {
  type EndpointState,
  hostState,
  type PublishedEndpoint,
  type PublishedTls,
  publishedEndpoints,
} from "../api/published-endpoints.ts";
import type { CachedRouteTable } from "../api/route-table.ts";
import type { Endpoint } from "../api/sandbox.ts";
import { type EndpointTarget, parseEndpointTarget } from "../api/spec-endpoint.ts";

/** Reason why an endpoint does not work. */
export type EndpointProblem =
  | "NoPreviewDomain"
  | "TargetMissing"
  | "TargetUnsupported"
  | "HostConflict"
  | "RoutingKeyConflict"
  | "PolicyDenied"
  | "InvalidSpec"
  | "WaitingForGateway";

/** A preview address and its problem, if any. */
export interface EndpointOutcome {
  readonly name: string;
  readonly url: string | undefined;
  /** The published endpoint; undefined if gateways must not serve it. */
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
  /** Reason why no endpoint of the object may be served. */
  readonly refusal?: { readonly reason: EndpointProblem; readonly message: string } | undefined;
  /** UID of the object. */
  readonly uid: string;
  /** Endpoints in the status of the object. */
  readonly recorded?: readonly EndpointState[] | undefined;
  /** Returns the RouteTable of a Service. */
  table(this: void, service: string): CachedRouteTable | undefined;
  /** Returns the RouteTables that publish a host. */
  tablesWithHost(this: void, host: string): readonly CachedRouteTable[];
}

/** Returns the address and the state of each endpoint. */
export function endpointOutcomes(input: EndpointsInput): readonly EndpointOutcome[] {
  return input.endpoints.map((endpoint) => {
    const outcome = outcomeOf(endpoint, input);
    const { published } = outcome;
    return published === undefined ? outcome : { ...outcome, problem: servingProblem(published, input) };
  });
}

/** Returns the problem that prevents gateways from serving an endpoint of the object. */
function servingProblem(published: PublishedEndpoint, input: EndpointsInput): EndpointOutcome["problem"] {
  const { host } = published;
  const target = parseEndpointTarget(published.target);
  const service = `${target?.namespace ?? ""}/${target?.service ?? ""}`;
  const owner = input.tablesWithHost(host).flatMap(({ spec }) => ownersOf(spec.hosts, host))[0];
  if (owner !== undefined && owner.uid !== input.uid)
    return {
      reason: "HostConflict",
      message: `${describeOwner(owner, input.namespace)} has the host ${host}; choose another host`,
    };
  const waiting = (message: string) => ({ reason: "WaitingForGateway", message }) as const;
  const table = input.table(service);
  if (table === undefined || owner === undefined)
    return (table?.spec.omittedHosts ?? 0) > 0
      ? waiting(
          `the RouteTable of Service ${service} has no room for more preview hosts; remove endpoints or PreviewLinks`,
        )
      : waiting("no gateway serves the address");
  switch (hostState(table, host)) {
    case "served":
      return undefined;
    case "noGateway":
      return waiting("no gateway serves the address");
    case "waiting":
      return waiting("not all gateways serve the address yet");
    case "unknown":
      // Gateways have not confirmed the latest change of the table yet. An unchanged endpoint is served meanwhile.
      return wasReady(published, input.recorded) ? undefined : waiting("not all gateways serve the address yet");
  }
}

type HostOwner = NonNullable<CachedRouteTable["spec"]["hosts"]>[number]["owner"];

function ownersOf(hosts: CachedRouteTable["spec"]["hosts"], host: string): readonly HostOwner[] {
  return (hosts ?? []).flatMap((each) => (each.host === host ? [each.owner] : []));
}

/**
 * Returns the name of an object of the same namespace. Names from other namespaces are not revealed, because the user may lack
 * permission to read them.
 */
function describeOwner({ kind, namespace, name }: HostOwner, own: string): string {
  return namespace === own ? `the older ${kind} ${name}` : `an older ${kind} of another namespace`;
}

function wasReady(published: PublishedEndpoint, recorded: readonly EndpointState[] = []): boolean {
  const state = recorded.find(({ name }) => name === published.name);
  const [before] = state?.ready === true ? publishedEndpoints([state]) : [];
  return before !== undefined && isEqual(withoutUndefined(before), withoutUndefined(published));
}

function outcomeOf(endpoint: DeepReadonly<Endpoint>, input: EndpointsInput): EndpointOutcome {
  const { name, target, host: chosen, path, auth, tls } = endpoint;
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
  const trust = parsed.scheme === "https" ? trustOf(parsed, tls) : { tls: undefined };
  if ("problem" in trust) return not(trust.problem.reason, trust.problem.message);
  const service = `${parsed.namespace}/${parsed.service}`;
  if (!hasService(service)) return not("TargetMissing", `Service ${service} does not exist`);
  // Only a host that the user chose can lack a key: the generated host contains the key of the object.
  const isOpen = chosen !== undefined && defaultRoutingKey !== "";
  const key = isOpen ? { defaultRoutingKey } : { routingKey };
  return {
    name,
    url,
    published: { name, host, target, auth, path, ...key, ...withoutUndefined(trust) },
    problem: undefined,
  };
}

/** Returns how gateways verify a Service with TLS. They never connect to one that they cannot verify. */
function trustOf(
  { service, namespace }: EndpointTarget,
  tls: DeepReadonly<Endpoint>["tls"],
): { readonly tls: PublishedTls } | { readonly problem: NonNullable<EndpointOutcome["problem"]> } {
  if (tls === undefined) {
    const message =
      "the target has the scheme https, and the endpoint has no tls.caBundle to verify the Service with; add it, or use an http or grpc target";
    return { problem: { reason: "TargetUnsupported", message } };
  }
  const problem = caBundleProblem(tls.caBundle);
  if (problem !== undefined) return { problem: { reason: "InvalidSpec", message: `tls.caBundle ${problem}` } };
  return { tls: { caBundle: tls.caBundle, serverName: tls.serverName ?? `${service}.${namespace}.svc` } };
}

/** Returns the field `status.endpoints`. */
export function endpointFields(outcomes: readonly EndpointOutcome[]) {
  return outcomes.map(({ name, url, published, problem }) => ({
    ...(published !== undefined && withoutUndefined(published)),
    name,
    ...(url !== undefined && { url }),
    ready: problem === undefined,
    ...problem,
  }));
}
