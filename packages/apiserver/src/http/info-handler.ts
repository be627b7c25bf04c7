import { compareBytes } from "../codec/go-text.ts";
import { methodUnknownStatus, unknownAcceptStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { healthResponse, type HealthChecks, pingCheck } from "./health.ts";
import { type HandlerResponse, headerOf, type Handler, type ServerRequest, textError } from "./handler.ts";
import { statusResponse } from "./status-response.ts";
import { type VersionInfo, versionInfo } from "./version.ts";

/** Options of {@link infoHandler}. */
export interface InfoOptions {
  readonly checks?: Partial<HealthChecks>;
  readonly version?: VersionInfo;
  /** Further paths that `/` lists, such as those of API groups. */
  readonly paths?: () => Iterable<string>;
  /** Handler of all other requests. Default: responds with 404. */
  readonly next?: Handler;
}

/** Returns the response to an unknown path. */
export function pathNotFound(): HandlerResponse {
  return textError(404, "404 page not found");
}

/**
 * Returns a handler for endpoints that need no objects: `/healthz`, `/livez`, `/readyz`, `/version`, and the list of
 * paths at `/`.
 *
 * As on kube-apiserver, these accept every method, except `/version`, which accepts only GET.
 */
export function infoHandler(options: InfoOptions = {}): Handler {
  const { healthz = [pingCheck], livez = healthz, readyz = livez } = options.checks ?? {};
  const checks: HealthChecks = { healthz, livez, readyz };
  const { version = versionInfo(), paths = () => [], next = async () => pathNotFound() } = options;
  return async (request, signal) => {
    const { path } = request.info;
    if (request.info.isResource) return next(request, signal);
    const health = await healthResponse(path, request.query, checks);
    if (health !== undefined) return health;
    if (path === "/version" || path === "/version/") return versionResponse(request, version);
    if (path === "/" || path === "/index.html") return indexResponse([...pathsOf(checks), ...paths()]);
    return next(request, signal);
  };
}

function versionResponse(request: ServerRequest, version: VersionInfo): HandlerResponse {
  if (request.method !== "GET") return statusResponse(methodUnknownStatus(), request);
  if (!acceptsJson(headerOf(request.headers, "accept")))
    throw new StatusError(unknownAcceptStatus(["application/json"]));
  return { status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(version, undefined, 2) };
}

function acceptsJson(accept = "*/*"): boolean {
  return accept.split(",").some((clause) => {
    const type = (clause.split(";")[0] ?? "").trim().toLowerCase();
    return type === "*/*" || type === "application/*" || type === "application/json" || type === "";
  });
}

function indexResponse(paths: Iterable<string>): HandlerResponse {
  const body = JSON.stringify({ paths: [...new Set(paths)].sort(compareBytes) }, undefined, 2);
  return { status: 200, headers: { "Content-Type": "application/json" }, body };
}

function pathsOf(checks: HealthChecks): string[] {
  const names = ["healthz", "livez", "readyz"] as const;
  const health = names.flatMap((name) => [`/${name}`, ...checks[name].map((check) => `/${name}/${check.name}`)]);
  return [...health, "/version"];
}
