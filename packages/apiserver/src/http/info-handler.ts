import { compareBytes } from "../codec/go-text.ts";
import { methodUnknownStatus, unknownAcceptStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { answerHealth, type HealthChecks, pingCheck } from "./health.ts";
import { type Answer, headerOf, type Handler, type ServerRequest, textError } from "./handler.ts";
import { statusAnswer } from "./status-answer.ts";
import { type VersionInfo, versionInfo } from "./version.ts";

/** Options of {@link infoHandler}. */
export interface InfoOptions {
  readonly checks?: Partial<HealthChecks>;
  readonly version?: VersionInfo;
  /** The other paths that `/` lists, such as those of groups and versions. */
  readonly paths?: () => Iterable<string>;
  /** Answers everything else. A text that says 404 unless given. */
  readonly next?: Handler;
}

/** What the server says about a path that is nothing at all. */
export function pathNotFound(): Answer {
  return textError(404, "404 page not found");
}

/**
 * Answers what needs no objects: `/healthz`, `/livez`, `/readyz`, `/version`, and the list of paths at `/`.
 *
 * These take every method, save `/version`, which takes GET: so it is on the real server.
 */
export function infoHandler(options: InfoOptions = {}): Handler {
  const { healthz = [pingCheck], livez = healthz, readyz = livez } = options.checks ?? {};
  const checks: HealthChecks = { healthz, livez, readyz };
  const { version = versionInfo(), paths = () => [], next = async () => pathNotFound() } = options;
  return async (request, signal) => {
    const { path } = request.info;
    if (request.info.isResource) return next(request, signal);
    const health = await answerHealth(path, request.query, checks);
    if (health !== undefined) return health;
    if (path === "/version" || path === "/version/") return answerVersion(request, version);
    if (path === "/" || path === "/index.html") return answerIndex([...pathsOf(checks), ...paths()]);
    return next(request, signal);
  };
}

function answerVersion(request: ServerRequest, version: VersionInfo): Answer {
  if (request.method !== "GET") return statusAnswer(methodUnknownStatus(), request);
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

function answerIndex(paths: Iterable<string>): Answer {
  const body = JSON.stringify({ paths: [...new Set(paths)].sort(compareBytes) }, undefined, 2);
  return { status: 200, headers: { "Content-Type": "application/json" }, body };
}

function pathsOf(checks: HealthChecks): string[] {
  const names = ["healthz", "livez", "readyz"] as const;
  const health = names.flatMap((name) => [`/${name}`, ...checks[name].map((check) => `/${name}/${check.name}`)]);
  return [...health, "/version"];
}
