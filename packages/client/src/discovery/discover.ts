import { ApiError, formatApiVersion, NotFoundError } from "@homeostat/core";
import { call, type Caller, type CallOptions, malformed, readJson } from "../api/call.ts";
import { MalformedAnswerError } from "../errors.ts";
import type { Request } from "../transport/transport.ts";
import { aggregatedAccept, isAggregated, readAggregated } from "./aggregated.ts";
import type { Discovery } from "./api-resource.ts";
import { type LegacyVersion, readApiGroups, readApiResources, readApiVersions } from "./legacy.ts";

/**
 * Asks a server what it has: two requests where it knows aggregated discovery, one per group and version where it does
 * not. Groups that do not answer are named in `failures`, and the others are there all the same.
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
    // A server may have only one of the two.
    if (error instanceof NotFoundError) return nothing;
    throw error;
  }
  const document = await readJson(request, response);
  if (isAggregated(response.headers["content-type"])) {
    const whole = readAggregated(document);
    if (whole === undefined) throw malformed(request, "the answer is not a discovery document");
    return whole;
  }
  const versions = root === "/api" ? readApiVersions(document) : readApiGroups(document);
  return merged(await Promise.all(versions.map((version) => discoverVersion(caller, version, options))));
}

async function discoverVersion(caller: Caller, place: LegacyVersion, options: CallOptions): Promise<Discovery> {
  const name = formatApiVersion(place);
  const request = discoveryRequest(`${place.group === "" ? "/api" : "/apis"}/${name}`, "application/json", options);
  try {
    const document = await readJson(request, await call(caller, request));
    return { resources: readApiResources(document, place), failures: new Map() };
  } catch (error) {
    // Behind a group may stand a server of its own, and that may be ill.
    if (!(error instanceof ApiError || error instanceof MalformedAnswerError)) throw error;
    return { resources: [], failures: new Map([[name, error.message]]) };
  }
}

const nothing: Discovery = { resources: [], failures: new Map() };

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
