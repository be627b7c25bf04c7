import type { Answer, Handler } from "../http/handler.ts";
import { infoHandler, type InfoOptions, pathNotFound } from "../http/info-handler.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { methodUnknownStatus, noSuchResourceStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Admitted } from "./context.ts";
import type { Discovery } from "./discovery.ts";
import type { OpenApiPaths } from "./openapi.ts";
import { answerResource } from "./resources.ts";
import type { SpecialEndpoints } from "./special.ts";

/** The endpoints that there are. */
export interface RouteOptions {
  readonly special: SpecialEndpoints;
  readonly discovery: Discovery;
  readonly openApi: OpenApiPaths;
  /** Answers other paths, such as `/openid/v1/jwks`; undefined for what it does not know. */
  readonly other: (path: string) => Answer | undefined;
  readonly info?: Omit<InfoOptions, "next" | "paths">;
}

/** Leads a request to its endpoint. */
export function routes({
  special,
  discovery,
  openApi,
  other,
  info = {},
}: RouteOptions): (admitted: Admitted) => Promise<Answer> {
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
    ],
    next: async (request) =>
      discovery.answer(request) ?? openApi.answer(request) ?? other(request.info.path) ?? pathNotFound(),
  });
  return async (admitted) => {
    const { request, signal, parts } = admitted;
    if (!request.info.isResource) return paths(request, signal);
    const { group, version, resource, subresource } = request.info;
    const known = parts.kinds.groups.find(({ name }) => name === group);
    if (known === undefined) return pathNotFound();
    const row = known.versions
      .find((each) => each.version === version)
      ?.resources.find((each) => each.plural === resource);
    if (row === undefined) throw new StatusError(noSuchResourceStatus());
    checkPath(admitted, row);
    const handle = special.find(group, resource, subresource);
    const answer = await handle?.(admitted);
    if (answer !== undefined) return answer;
    const kind = parts.kinds.find(group, version, resource);
    if (kind === undefined) throw new StatusError(noSuchResourceStatus());
    return answerResource(admitted, kind);
  };
}

/** Throws a `StatusError`: 404 for a path that a resource does not have, 405 for a method that it does not know there. */
function checkPath({ request }: Admitted, row: ServedKind["resource"]): void {
  const { info } = request;
  const isNamespaced = row.scope === "Namespaced";
  const isInNamespace = info.namespace !== "" && info.resource !== "namespaces";
  const isNamed = info.parts.length > 1;
  if (isInNamespace ? !isNamespaced : isNamespaced && isNamed) throw new StatusError(noSuchResourceStatus());
  if (info.subresource === "") {
    const isOnList = ["list", "watch", "create", "deletecollection"].includes(info.verb);
    const isCrossing = isNamespaced && !isInNamespace && info.verb !== "list" && info.verb !== "watch";
    const isServed = row.verbs.includes(info.verb) && !isCrossing && (isOnList || isNamed);
    if (!isServed || (info.verb === "create" && isNamed)) throw new StatusError(methodUnknownStatus());
    return;
  }
  const part = row.subresources.find((each) => each.name === info.subresource);
  if (part === undefined) throw new StatusError(noSuchResourceStatus());
  if (!part.verbs.includes(info.verb)) throw new StatusError(methodUnknownStatus());
}
