// Gives the same object to a real API server and to the schema package, and returns the differences.

import { causeReason, type Json, type ResourceVersion } from "@homeostat/schema";
import type { KubeObject } from "@homeostat/core";
import type { ApiResponse, Api } from "../../harness/api.ts";

/** A verdict: the stored form of an object, or its errors. */
export type Verdict = { readonly stored: unknown } | { readonly problems: readonly string[] };

/** A request body and, for an update, the old object. */
export interface Attempt {
  readonly body: Record<string, Json>;
  readonly old?: Record<string, unknown>;
}

/** Returns the verdict of the schema package. */
export function ourVerdict(version: ResourceVersion, { body, old }: Attempt): Verdict {
  // The main endpoint ignores the status of a kind with a status subresource; an update keeps the old one.
  const sent: Record<string, unknown> = version.hasStatus ? without(body, "status") : { ...body };
  if (version.hasStatus && old !== undefined && Object.hasOwn(old, "status")) sent["status"] = old["status"];
  const problems = version.check(sent, old === undefined ? {} : { old });
  if (problems.length > 0) {
    return {
      problems: problems
        .map((problem) => `${problem.path || "<nil>"} | ${causeReason(problem)} | ${problem.message}`)
        .toSorted(),
    };
  }
  return { stored: comparable(version.default(sent as unknown as KubeObject)) };
}

/** Returns the verdict of the API server. The request is a dry run. */
export async function serverVerdict(api: Api, path: string, { body, old }: Attempt): Promise<Verdict> {
  const query = "?dryRun=All&fieldValidation=Ignore";
  const name = String(read(read(body, "metadata"), "name"));
  const response =
    old === undefined
      ? await api.send("POST", path + query, body)
      : await api.send("PUT", `${path}/${name}${query}`, body);
  return verdictOf(response);
}

/** Returns the sorted paths that strict decoding reports. */
export async function unknownFields(api: Api, path: string, { body }: Attempt): Promise<string[]> {
  const response = await api.send("POST", `${path}?dryRun=All&fieldValidation=Strict`, body);
  const message = String(read(response.body, "message"));
  return [...message.matchAll(/unknown field "((?:[^"\\]|\\.)*)"/g)]
    .map((match) => String(JSON.parse(`"${match[1]}"`)))
    .toSorted();
}

function verdictOf({ status, body }: ApiResponse): Verdict {
  if (status === 200 || status === 201) return { stored: comparable(body) };
  const causes = read(read(body, "details"), "causes");
  if (status !== 422 || !Array.isArray(causes)) return { problems: [`${status} ${String(read(body, "message"))}`] };
  return {
    problems: causes
      .filter((cause: unknown) => !isDuplicateCause(cause))
      .map(
        (cause: unknown) =>
          `${String(read(cause, "field"))} | ${String(read(cause, "reason"))} | ${String(read(cause, "message"))}`,
      )
      .toSorted(),
  };
}

/**
 * A known difference: if the value at the path of a scale subresource has a wrong type, the server reports it twice, the second time
 * with the message of Go's type system and a path with a leading dot. The schema package reports it once.
 */
function isDuplicateCause(cause: unknown): boolean {
  return / accessor error: .* is of the type /.test(String(read(cause, "message")));
}

const serverFields = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "namespace",
  "selfLink",
];

/** Returns an object without server-generated fields, with sorted keys. */
function comparable(value: unknown): unknown {
  const metadata = read(value, "metadata");
  const cleaned =
    typeof metadata === "object" && metadata !== null
      ? serverFields.reduce<object>((rest, field) => without(rest, field), metadata)
      : metadata;
  return sorted(typeof value === "object" && value !== null ? { ...value, metadata: cleaned } : value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted()) {
    Object.defineProperty(result, key, {
      value: sorted(read(value, key)),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

export function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function without(value: object, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
