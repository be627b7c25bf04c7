import { ApiError, formatApiVersion, NotFoundError } from "@homeostat/core";
import { call, type Caller, type CallOptions, malformed, readJson } from "../api/call.ts";
import { MalformedResponseError } from "../errors.ts";
import type { Request } from "../transport/transport.ts";
import { aggregatedAccept, isAggregated, readAggregated } from "./aggregated.ts";
import type { Discovery } from "./api-resource.ts";
import { type LegacyVersion, readApiGroups, readApiResources, readApiVersions } from "./legacy.ts";

/**
 * Discovers all kinds that a server serves: with two requests if it supports aggregated discovery, else with one per group and
 * version. Groups whose discovery fails are listed in `failures`; the others are still returned.
 */
export async function discover(caller: Caller, options: CallOptions = {}): Promise<Discovery> {
  return merged(await Promise.all((["/api", "/apis"] as const).map((root) => discoverRoot(caller, root, options))));
}

async function discoverRoot(caller: Caller, root: "/api" | "/apis", options: CallOptions): Promise<Discovery> {
  const request = discoveryRequest(root, aggregatedAccept, options);
  let response;
  try {
    response = await call(caller, request);
  } catch (error) {
    // A server may serve only one of /api and /apis.
    if (error instanceof NotFoundError) return emptyDiscovery;
    throw error;
  }
  const document = await readJson(request, response);
  if (isAggregated(response.headers["content-type"])) {
    const whole = readAggregated(document);
    if (whole === undefined) throw malformed(request, "the response is not a discovery document");
    return whole;
  }
  const versions = root === "/api" ? readApiVersions(document) : readApiGroups(document);
  return merged(await Promise.all(versions.map((version) => discoverVersion(caller, version, options))));
}

async function discoverVersion(caller: Caller, groupVersion: LegacyVersion, options: CallOptions): Promise<Discovery> {
  const name = formatApiVersion(groupVersion);
  const request = discoveryRequest(
    `${groupVersion.group === "" ? "/api" : "/apis"}/${name}`,
    "application/json",
    options,
  );
  try {
    const document = await readJson(request, await call(caller, request));
    return { resources: readApiResources(document, groupVersion), failures: new Map() };
  } catch (error) {
    // The group may be served by an aggregated API server that is down.
    if (!(error instanceof ApiError || error instanceof MalformedResponseError)) throw error;
    return { resources: [], failures: new Map([[name, error.message]]) };
  }
}

const emptyDiscovery: Discovery = { resources: [], failures: new Map() };

function merged(parts: readonly Discovery[]): Discovery {
  return {
    resources: parts.flatMap(({ resources }) => resources),
    failures: new Map(parts.flatMap(({ failures }) => [...failures])),
  };
}

function discoveryRequest(path: string, accept: string, { timeouts, signal }: CallOptions): Request {
  return {
    method: "GET",
    path,
    headers: { accept },
    about: { verb: "get", resource: "discovery" },
    timeouts,
    signal,
  };
}
