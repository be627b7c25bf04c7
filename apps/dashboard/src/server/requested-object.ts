import { isRecord, ownValue, type ResourceType } from "@homeostat/core";
import type { Session } from "../access/access.ts";
import type { ObjectRef } from "../api/types.ts";
import { RequestError } from "../errors.ts";

/** The object of a request, as the page names it. */
export type RequestedObject = Omit<ObjectRef, "version" | "plural">;

/** Returns the object that a query names. Throws a {@link RequestError} if it names none. */
export function objectInQuery(query: URLSearchParams): RequestedObject {
  const [kind, name] = [query.get("kind") ?? "", query.get("name") ?? ""];
  if (kind === "" || name === "")
    throw new RequestError(400, "The query must have kind and name, and namespace and group if there are any.");
  return { group: query.get("group") ?? "", kind, namespace: query.get("namespace") || undefined, name };
}

/** Returns the object that the body of a write names, with the UID that the user saw. Throws a {@link RequestError} if it names none. */
export function objectInBody(body: unknown): { readonly requested: RequestedObject; readonly uid: string } {
  const [kind, name, uid] = [textOf(body, "kind"), textOf(body, "name"), textOf(body, "uid")];
  if (kind === undefined || name === undefined || uid === undefined)
    throw new RequestError(400, "The body must have kind, name and uid.");
  return {
    requested: { group: textOf(body, "group") ?? "", kind, namespace: textOf(body, "namespace"), name },
    uid,
  };
}

/** Returns a text field of a body; undefined if it is missing or empty. */
export function textOf(body: unknown, name: string): string | undefined {
  const value = isRecord(body) ? ownValue(body, name) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Finds the kind of an object by discovery with the rights of the user. */
export async function findObject(
  { client }: Session,
  { group, kind, namespace, name }: RequestedObject,
  signal: AbortSignal,
): Promise<{ readonly type: ResourceType; readonly ref: ObjectRef }> {
  const found = await client.mapper.byKind({ group, kind }, signal);
  if (found === undefined)
    throw new RequestError(404, `The API server does not serve the kind ${kind} of group ${group || "core"}.`);
  const { version, plural, scope } = found;
  if ((scope === "Namespaced") !== (namespace !== undefined))
    throw new RequestError(
      400,
      `${kind} is ${scope === "Namespaced" ? "namespaced: add" : "cluster-scoped: remove"} the namespace.`,
    );
  const type: ResourceType = { group, version, kind: found.kind, plural, scope };
  return { type, ref: { group, version, kind: found.kind, plural, namespace, name } };
}
