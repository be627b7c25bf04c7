import type { Clock } from "@homeostat/core";
import { goConnectionText } from "../admission/webhooks/webhook-errors.ts";
import { wellKnown } from "../auth/user.ts";
import { type Availability, failedDiscovery, passed } from "./availability.ts";
import { userHeaders } from "./proxy-headers.ts";
import { aggregatedResources } from "./remote-discovery.ts";
import { pathOf, type RemoteVersion } from "./remote-version.ts";
import { type EndpointOptions, resolveEndpoint } from "./resolve-endpoint.ts";
import { readWhole, type SendUpstream, targetOf } from "./upstream.ts";

const timeoutMs = 5_000;
const discoveryBytesMax = 4 * 1024 * 1024;

/** User for discovery requests to remote servers. Its group may read everything. */
const aggregatorUser = { name: "system:kube-aggregator", uid: "", groups: [wellKnown.masters], extra: {} };

/** Dependencies of {@link probeDiscovery}. */
export interface ProbeOptions extends EndpointOptions {
  readonly clock: Clock;
  readonly send: SendUpstream;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

/** The result of a probe; `resources` only if it succeeded. */
export interface DiscoveryProbe {
  readonly availability: Availability;
  readonly resources?: unknown[];
}

/** Requests the discovery document of a version. Never rejects: a failure is a result. */
export async function probeDiscovery(version: RemoteVersion, options: ProbeOptions): Promise<DiscoveryProbe> {
  using timeout = options.clock.timeout(timeoutMs);
  const endpoint = await resolveEndpoint(version, options).catch(() => undefined);
  const path = pathOf(version);
  const host = endpoint === undefined ? "" : `${endpoint.host}:${endpoint.port}`;
  const url = `https://${host}${path}`;
  if (endpoint === undefined) {
    const { namespace, name } = version.service;
    return { availability: failedDiscovery(`no endpoints available for service "${namespace}/${name}"`) };
  }
  const failed = (text: string): DiscoveryProbe => ({
    availability: failedDiscovery(`failing or missing response from ${url}: ${text}`),
  });
  const headers = { host, accept: "application/json", ...userHeaders(aggregatorUser) };
  try {
    const signal = AbortSignal.any([timeout.signal, options.stop]);
    const response = await options.send({ ...targetOf(version), endpoint, method: "GET", path, headers }, signal);
    const text = (await readWhole(response, discoveryBytesMax)).toString("utf8");
    if (response.status < 200 || response.status >= 300) return failed(`bad status from ${url}: ${response.status}`);
    return { availability: passed, resources: aggregatedResources(parsed(text)) };
  } catch (error) {
    const text = timeout.signal.aborted
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : goConnectionText(error, endpoint);
    return failed(`Get "${url}": ${text}`);
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
