import { withoutUndefined } from "@homeostat/core";
import { FieldReader, type ProblemList } from "../checks/field-reader.ts";
import { isFieldValue, isToken } from "../checks/header-names.ts";
import type { EntryMatch, EntryMiddleware, Fault, HeaderMatch, PathMatch } from "./route-table.ts";

const listMax = 64;
const faultsMax = 10;
const delayMsMax = 600_000;

/** Reads `match` of an entry. A condition that this version does not know is a problem: ignoring it would widen the route. */
export function parseMatch(entry: FieldReader, problems: ProblemList): EntryMatch | undefined {
  const reader = entry.optionalObject("match");
  if (reader === undefined) return undefined;
  for (const name of reader.names) {
    if (!["paths", "methods", "headers"].includes(name))
      reader.fail(name, "is an unknown condition; update the proxy to use it");
  }
  return withoutUndefined({
    paths: reader.optionalList("paths", listMax, (each, path) => pathMatch(each, path, problems)),
    methods: reader.optionalTexts("methods", listMax, methodProblem),
    headers: reader.optionalList("headers", listMax, (each, path) => headerMatch(each, path, problems)),
  });
}

/** Reads `middleware` of an entry. */
export function parseMiddleware(entry: FieldReader, problems: ProblemList): EntryMiddleware | undefined {
  const reader = entry.optionalObject("middleware");
  if (reader === undefined) return undefined;
  return withoutUndefined({
    record: reader.optionalBoolean("record"),
    accessLog: reader.optionalBoolean("accessLog"),
    faults: reader.optionalList("faults", faultsMax, (each, path) => fault(each, path, problems)),
  });
}

function pathMatch(value: unknown, path: string, problems: ProblemList): PathMatch | undefined {
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  const prefix = reader.optionalText("prefix", pathProblem);
  const exact = reader.optionalText("exact", pathProblem);
  if (prefix !== undefined && exact === undefined) return { prefix };
  if (exact !== undefined && prefix === undefined) return { exact };
  if (reader.has("prefix") === reader.has("exact")) problems.add(path, value, "must have either prefix or exact");
  return undefined;
}

function headerMatch(value: unknown, path: string, problems: ProblemList): HeaderMatch | undefined {
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  const name = reader.text("name", (text) => (isToken(text) ? undefined : "is not the name of an HTTP header"));
  const expected = reader.raw("value");
  if (typeof expected === "string" && isFieldValue(expected)) return { name, value: expected };
  reader.fail("value", "must be a text without control characters and without spaces at its ends", "(not shown)");
  return undefined;
}

function fault(value: unknown, path: string, problems: ProblemList): Fault | undefined {
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  return withoutUndefined({
    percent: reader.optionalInteger("percent", { min: 0, max: 100 }),
    delayMs: reader.optionalInteger("delayMs", { min: 0, max: delayMsMax }),
    jitterMs: reader.optionalInteger("jitterMs", { min: 0, max: delayMsMax }),
    abortCode: reader.optionalInteger("abortCode", { min: 200, max: 599 }),
    abortGrpcStatus: reader.optionalInteger("abortGrpcStatus", { min: 1, max: 16 }),
    paths: reader.optionalList("paths", listMax, (each, at) => pathMatch(each, at, problems)),
    methods: reader.optionalTexts("methods", listMax, methodProblem),
  });
}

function methodProblem(text: string): string | undefined {
  return isToken(text) ? undefined : "is not an HTTP method, such as GET";
}

/** Rule for the path of a condition. Paths of requests have no such segments when they are compared, so these would never match. */
function pathProblem(text: string): string | undefined {
  if (!text.startsWith("/")) return "must start with /";
  if (/[?#\s\0]/.test(text)) return "must be a path without query, fragment and spaces";
  if (text.includes("//")) return "must not contain //";
  if (/\/\.\.?(?:\/|$)/.test(text)) return "must not contain . or .. as a segment";
  if (/%(?:2f|00)/i.test(text)) return "must not contain an encoded slash or NUL";
  return undefined;
}
