import { quote } from "@homeostat/cel";
import { compareBytes } from "../codec/go-text.ts";
import type { Query } from "../request/query.ts";
import { plainText, textError, type WholeAnswer } from "./handler.ts";

/** Something that is well or is not. */
export interface HealthCheck {
  /** May have slashes: `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Why it is not well, or undefined. One that throws is not well. */
  check(): string | undefined | Promise<string | undefined>;
}

/** A check that only shows that somebody answers. */
export const pingCheck: HealthCheck = { name: "ping", check: () => undefined };

/** The checks behind each of the paths that tell about health. */
export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/**
 * Answers `/healthz`, `/livez` and `/readyz` with `?verbose` and `?exclude=`, and each check below them; undefined for another
 * path.
 *
 * The words are those of kube-apiserver; the reason of a failure stands only in the answer about the single check.
 */
export async function answerHealth(path: string, query: Query, checks: HealthChecks): Promise<WholeAnswer | undefined> {
  const [, name, rest] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
  if (name !== "healthz" && name !== "livez" && name !== "readyz") return undefined;
  if (rest === undefined) return answerAll(name, checks[name], query);
  const found = checks[name].find((check) => check.name === rest);
  if (found === undefined) return undefined;
  const problem = await problemOf(found);
  return problem === undefined
    ? { status: 200, headers: { "Content-Type": plainText }, body: "ok" }
    : textError(500, `internal server error: ${problem}`);
}

async function answerAll(name: string, checks: readonly HealthCheck[], query: Query): Promise<WholeAnswer> {
  const excluded = new Set(query.all("exclude"));
  const unknown = new Set(excluded);
  let lines = "";
  let isWell = true;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      unknown.delete(check.name);
      lines += `[+]${check.name} excluded: ok\n`;
      continue;
    }
    const problem = await problemOf(check);
    if (problem !== undefined) isWell = false;
    lines += problem === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`;
  }
  if (unknown.size > 0) {
    const names = [...unknown].sort(compareBytes).map(quote).join(",");
    lines += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
  }
  if (!isWell) return textError(500, `${lines}${name} check failed`);
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
