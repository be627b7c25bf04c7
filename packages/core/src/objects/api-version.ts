import { ParseError } from "../errors/parse-error.ts";

/** A group and version. The core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Formats an `apiVersion`: `"apps/v1"`, or `"v1"` for the core group. */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Parses an `apiVersion`. Throws a {@link ParseError} unless it is `"group/version"` or `"version"`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  const version = apiVersion.slice(slash + 1);
  if (slash === 0) throw malformed(apiVersion, 0, "the group before the / is empty");
  if (version === "") throw malformed(apiVersion, apiVersion.length, "the version is empty");
  const second = version.indexOf("/");
  if (second >= 0) throw malformed(apiVersion, slash + 1 + second, "expected group/version, found a second /");
  return { group: apiVersion.slice(0, Math.max(0, slash)), version };
}

function malformed(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "apiVersion", input, offset, problem });
}
