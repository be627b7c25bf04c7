import type { HandlerResponse, Handler, ServerRequest } from "../http/handler.ts";
import { infoHandler, type InfoOptions, pathNotFound } from "../http/info-handler.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import {
  badRequestStatus,
  methodNotAllowedStatus,
  methodUnknownStatus,
  noSuchResourceStatus,
  notFoundStatus,
} from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { AuthorizedRequest } from "./context.ts";
import type { Discovery } from "./discovery.ts";
import type { OpenApiPaths } from "./openapi.ts";
import { handleResource } from "./resources.ts";
import type { SpecialEndpoints } from "./special-endpoints.ts";

/** Forwards requests for versions that other servers serve. */
export interface RequestForwarder {
  /** Returns the response of the other server; undefined if this server serves the version. */
  forward(authorized: AuthorizedRequest): Promise<HandlerResponse | undefined>;
}

/** Endpoints of the server. */
export interface RouteOptions {
  readonly special: SpecialEndpoints;
  readonly aggregator: RequestForwarder;
  readonly discovery: Discovery;
  readonly openApi: OpenApiPaths;
  /** Handles other paths, such as `/openid/v1/jwks`; returns undefined for unknown ones. */
  readonly other: (request: ServerRequest) => Promise<HandlerResponse | undefined>;
  readonly info?: Omit<InfoOptions, "next" | "paths">;
}

/** Returns a function that passes a request to its endpoint. */
export function routes({
  special,
  aggregator,
  discovery,
  openApi,
  other,
  info = {},
}: RouteOptions): (authorized: AuthorizedRequest) => Promise<HandlerResponse> {
  const paths: Handler = infoHandler({
    ...info,
    paths: () => [
      ...discovery.paths(),
      "/openapi/v2",
      "/openapi/v3",
      "/openapi/v3/",
      "/openid/v1/jwks",
      "/.well-known/openid-configuration",
      "/metrics",
      "/metrics/slis",
      "/flagz",
      "/statusz",
    ],
    next: async (request) =>
      discovery.respond(request) ?? openApi.respond(request) ?? (await other(request)) ?? pathNotFound(),
  });
  return async (authorized) => {
    const { request, signal, parts } = authorized;
    const forwarded = await aggregator.forward(authorized);
    if (forwarded !== undefined) return forwarded;
    if (!request.info.isResource) return paths(request, signal);
    const { group, version, resource, subresource } = request.info;
    const known = parts.kinds.groups.find(({ name }) => name === group);
    if (known === undefined) return pathNotFound();
    const row = known.versions
      .find((each) => each.version === version)
      ?.resources.find((each) => each.plural === resource);
    if (row === undefined) {
      // kube-apiserver routes the paths of built-in groups itself and reports a Status. Other groups fall through to its handler for
      // unknown paths, which responds with plain text.
      if (known.versions.every(({ resources }) => resources.every(({ isCustom }) => isCustom))) return pathNotFound();
      throw new StatusError(noSuchResourceStatus());
    }
    if (row.isCustom) {
      if (hasWrongScope(authorized, row)) return pathNotFound();
      checkCustomPath(authorized, row);
    } else checkPath(authorized, row);
    const handle = special.find(group, resource, subresource);
    const response = await handle?.(authorized);
    if (response !== undefined) return response;
    const kind = parts.kinds.find(group, version, resource);
    if (kind === undefined) throw new StatusError(noSuchResourceStatus());
    return handleResource(authorized, kind);
  };
}

/**
 * Reports whether the scope of a path does not fit a custom resource: a namespace for a cluster-scoped one, or none for a namespaced one.
 */
function hasWrongScope({ request: { info } }: AuthorizedRequest, { scope }: ServedKind["resource"]): boolean {
  if (scope === "Cluster") return info.namespace !== "";
  return info.namespace === "" && !["list", "watch", "deletecollection"].includes(info.verb);
}

/** Throws a `StatusError` for a subresource that a custom resource does not have (404) and for a verb that it does not support (405). */
function checkCustomPath({ request: { info } }: AuthorizedRequest, row: ServedKind["resource"]): void {
  const { group, plural: resource } = row;
  const part = row.subresources.find((each) => each.name === info.subresource);
  if (info.subresource !== "" && part === undefined)
    throw new StatusError(notFoundStatus({ group, resource }, info.name));
  if (!(part?.verbs ?? row.verbs).includes(info.verb))
    throw new StatusError(methodNotAllowedStatus({ group, resource }, info.verb));
  if (info.name === "" && ["get", "update", "patch", "delete"].includes(info.verb))
    throw new StatusError(badRequestStatus("name must be provided"));
}

/** Throws a `StatusError`: 404 for a path that a built-in resource does not have, 405 for a verb that it does not support there. */
function checkPath({ request }: AuthorizedRequest, row: ServedKind["resource"]): void {
  const { info } = request;
  if (request.method === "HEAD") throw new StatusError(methodUnknownStatus());
  const isNamespaced = row.scope === "Namespaced";
  const isInNamespace = info.namespace !== "" && info.resource !== "namespaces";
  const isNamed = info.parts.length > 1;
  if (isInNamespace ? !isNamespaced : isNamespaced && isNamed) throw new StatusError(noSuchResourceStatus());
  if (info.subresource === "") {
    const isCollectionVerb = ["list", "watch", "create", "deletecollection"].includes(info.verb);
    const needsNamespace = isNamespaced && !isInNamespace && info.verb !== "list" && info.verb !== "watch";
    // A watch of a resource that only supports lists is passed to its endpoint, which rejects it with its own error.
    const isListOnly = info.verb === "watch" && row.verbs.includes("list") && !row.verbs.includes("watch");
    if (isListOnly && !request.query.has("watch")) throw new StatusError(noSuchResourceStatus());
    const isKnown = isListOnly || row.verbs.includes(info.verb);
    const isServed = isKnown && !needsNamespace && (isCollectionVerb || isNamed);
    if (!isServed || (info.verb === "create" && isNamed)) throw new StatusError(methodUnknownStatus());
    return;
  }
  const part = row.subresources.find((each) => each.name === info.subresource);
  if (part === undefined) throw new StatusError(noSuchResourceStatus());
  if (!part.verbs.includes(info.verb)) throw new StatusError(methodUnknownStatus());
}
