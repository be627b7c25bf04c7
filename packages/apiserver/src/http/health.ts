import { quote } from "@homeostat/cel";
import { compareBytes } from "../codec/go-text.ts";
import type { Query } from "../request/query.ts";
import { plainText, textError, type BufferedResponse } from "./handler.ts";

/** A health check. */
export interface HealthCheck {
  /** Name, with or without slashes: `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Returns why the check failed; undefined if it passed. A check that throws has failed too. */
  check(): string | undefined | Promise<string | undefined>;
}

/** A check that always passes: the server responds. */
export const pingCheck: HealthCheck = { name: "ping", check: () => undefined };

/** Checks of each health endpoint. */
export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/**
 * Returns the response to `/healthz`, `/livez` or `/readyz`, with `?verbose` and `?exclude=`, or to a single check
 * below them; undefined for other paths.
 *
 * The texts are those of kube-apiserver, which reports the reason of a failure only in the response about the single
 * check.
 */
export async function healthResponse(
  path: string,
  query: Query,
  checks: HealthChecks,
): Promise<BufferedResponse | undefined> {
  const [, name, rest] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
  if (name !== "healthz" && name !== "livez" && name !== "readyz") return undefined;
  if (rest === undefined) return combinedResponse(name, checks[name], query);
  const found = checks[name].find((check) => check.name === rest);
  if (found === undefined) return undefined;
  const problem = await problemOf(found);
  return problem === undefined
    ? { status: 200, headers: { "Content-Type": plainText }, body: "ok" }
    : textError(500, `internal server error: ${problem}`);
}

async function combinedResponse(name: string, checks: readonly HealthCheck[], query: Query): Promise<BufferedResponse> {
  const excluded = new Set(query.all("exclude"));
  const unknown = new Set(excluded);
  let lines = "";
  let isHealthy = true;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      unknown.delete(check.name);
      lines += `[+]${check.name} excluded: ok\n`;
      continue;
    }
    const problem = await problemOf(check);
    if (problem !== undefined) isHealthy = false;
    lines += problem === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`;
  }
  if (unknown.size > 0) {
    const names = [...unknown].sort(compareBytes).map(quote).join(",");
    lines += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
  }
  if (!isHealthy) return textError(500, `${lines}${name} check failed`);
  const body = query.has("verbose") ? `${lines}${name} check passed\n` : "ok";
  return { status: 200, headers: { "Content-Type": plainText, "X-Content-Type-Options": "nosniff" }, body };
}

async function problemOf(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check.check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
