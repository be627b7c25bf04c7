// Preview addresses in the status of sandboxes and groups.

import type { DeepReadonly } from "@homeostat/core";
import { previewHost } from "../api/names.ts";
import type { Endpoint } from "../api/sandbox.ts";

/** A preview address and what keeps it from working. */
export interface EndpointOutcome {
  readonly name: string;
  readonly url: string | undefined;
  readonly problem:
    | {
        readonly reason: "NoPreviewDomain" | "TargetMissing" | "HostConflict" | "WaitingForGateway";
        readonly message: string;
      }
    | undefined;
}

/** Input of {@link endpointOutcomes}. */
export interface EndpointsInput {
  readonly endpoints: readonly DeepReadonly<Endpoint>[];
  readonly namespace: string;
  readonly routingKey: string;
  readonly preview: { readonly domain: string; readonly scheme: string };
  /** Reports whether a Service exists. */
  hasService(this: void, key: string): boolean;
}

/** Returns the address and the state of each endpoint. */
export function endpointOutcomes(input: EndpointsInput): readonly EndpointOutcome[] {
  return input.endpoints.map((endpoint) => outcomeOf(endpoint, input));
}

function outcomeOf(
  { name, target, host, path }: DeepReadonly<Endpoint>,
  { namespace, routingKey, preview, hasService }: EndpointsInput,
): EndpointOutcome {
  if (preview.domain === "" && host === undefined) {
    const message = "the operator has no preview domain; set preview.domain in its configuration";
    return { name, url: undefined, problem: { reason: "NoPreviewDomain", message } };
  }
  const address = host ?? previewHost({ endpoint: name, routingKey, domain: preview.domain });
  const url = `${preview.scheme}://${address}${path === "/" ? "" : path}`;
  const service = serviceOfTarget(target, namespace);
  if (service !== undefined && !hasService(service)) {
    return { name, url, problem: { reason: "TargetMissing", message: `Service ${service} does not exist` } };
  }
  return { name, url, problem: { reason: "WaitingForGateway", message: "no gateway serves the address" } };
}

/** Returns the key of the Service of a target such as `http://frontend.shop.svc:8080`. */
function serviceOfTarget(target: string, namespace: string): string | undefined {
  if (!URL.canParse(target)) return undefined;
  const [service, inNamespace = namespace] = new URL(target.replace(/^grpc:/, "http:")).hostname.split(".");
  return service === undefined || service === "" ? undefined : `${inNamespace}/${service}`;
}

/** Returns the field `status.endpoints`. */
export function endpointFields(outcomes: readonly EndpointOutcome[]) {
  return outcomes.map(({ name, url, problem }) => ({
    name,
    ...(url !== undefined && { url }),
    ready: problem === undefined,
  }));
}
