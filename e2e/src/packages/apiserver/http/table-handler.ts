// Replaces the registry of an API server: knows which resources exist and parses options, but has no objects.

import type { Handler, ServerRequest } from "@homeostat/apiserver";
import {
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodeListOptions,
  decodePatchOptions,
  headerOf,
  methodUnknownStatus,
  noSuchResourceStatus,
  pathNotFound,
  statusResponse,
} from "@homeostat/apiserver/internal";

const headers = { "Content-Type": "application/json" };

/** Handles requests for config maps, and returns 404 for everything else. */
export const tableHandler: Handler = async (request) => {
  const { info } = request;
  if (!info.isResource) return isGroup(info.path) ? { status: 200, headers, body: "{}" } : pathNotFound();
  // An unknown group gets the same response as any unknown path.
  if (info.prefix === "apis" && info.group !== "apps") return pathNotFound();
  if (info.version !== "v1" || info.group !== "" || info.resource !== "configmaps" || info.verb === "proxy") {
    return statusResponse(noSuchResourceStatus(), request);
  }
  if (request.method === "HEAD" || !isAllowed(request)) return statusResponse(methodUnknownStatus(), request);
  await request.body();
  if (info.verb === "watch") {
    decodeListOptions(request.query);
    return { status: 200, headers, stream: (async function* () {})() };
  }
  readOptions(request);
  return { status: 200, headers, body: "{}" };
};

function isGroup(path: string): boolean {
  return path === "/api" || path === "/apis" || path === "/api/v1";
}

function isAllowed({ method, info }: ServerRequest): boolean {
  const ofOne = ["GET", "PUT", "PATCH", "DELETE"];
  return (info.parts.length > 1 ? ofOne : ["GET", "POST", "DELETE"]).includes(method);
}

function readOptions({ info, query, headers: sent }: ServerRequest): void {
  const isApply = headerOf(sent, "content-type") === "application/apply-patch+yaml";
  if (info.verb === "list" || info.verb === "deletecollection") decodeListOptions(query);
  if (info.verb === "get") decodeGetOptions(query);
  if (info.verb === "create") decodeCreateOptions(query);
  if (info.verb === "patch") decodePatchOptions(query, { isApply });
  if (info.verb === "delete" || info.verb === "deletecollection") decodeDeleteOptions(query);
}
