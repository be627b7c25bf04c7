import type { IncomingMessage } from "node:http";
import type { Clock, Random } from "@homeostat/core";
import { isRecord, ownValue, parseBoundedJson, type ResourceType } from "@homeostat/core";
import type { Session } from "../access/access.ts";
import type { ObjectRef } from "../api/types.ts";
import { readableType } from "../fields/hide-secrets.ts";
import type { Runbook } from "../runbook/runbook.ts";
import { overviewView } from "../views/overview.ts";
import { resourceView } from "../views/resource.ts";
import type { RunView, ViewContext } from "../views/view.ts";
import { type FindOperators, whyView } from "../why/why-view.ts";
import { RequestError } from "./errors.ts";

/** Parts of the server that requests for data use. */
export interface ApiContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly runbook: Runbook;
  readonly findOperators: FindOperators;
}

/** Names of views in paths: `/api/overview`, `/api/stream/overview`. */
const viewNames = ["overview", "resource", "why"] as const;
/** Name of a view. */
export type ViewName = (typeof viewNames)[number];

/** Reports whether a text is the name of a view. */
export function isViewName(text: string): text is ViewName {
  return viewNames.some((name) => name === text);
}

/** Returns a view for the user of a session. Throws a {@link RequestError} if the query does not name an object. */
export async function openView(
  name: ViewName,
  query: URLSearchParams,
  {
    session,
    context,
    signal,
  }: { readonly session: Session; readonly context: ApiContext; readonly signal: AbortSignal },
): Promise<RunView> {
  const { client, connection } = session;
  const { clock, random, runbook, findOperators } = context;
  const viewContext: ViewContext = { client, connection, clock, random };
  if (name === "overview") return overviewView(viewContext, { namespace: query.get("namespace") || undefined });
  if (name === "why" && !query.has("kind")) return whyView(viewContext, { ref: undefined, findOperators });
  const { type, ref } = await findObject(session, objectIn(query), signal);
  if (name === "resource") return resourceView(viewContext, { type, ref, runbook });
  // Operators do not know the user, so the API server decides here.
  const { namespace } = ref;
  const { isAllowed } = await client.reviewOwnAccess({ verb: "get", type, namespace, name: ref.name }, { signal });
  if (!isAllowed) throw new RequestError(403, `You are not allowed to read ${ref.kind} ${ref.name}.`);
  return whyView(viewContext, { ref, findOperators });
}

/** Deletes the object of a request, if it still has the UID that the user saw. Returns whether it existed. */
export async function deleteObject(
  body: unknown,
  { session, signal }: { readonly session: Session; readonly signal: AbortSignal },
): Promise<{ readonly wasFound: boolean }> {
  const text = (name: string): string | undefined => {
    const value = isRecord(body) ? ownValue(body, name) : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [kind, name, uid] = [text("kind"), text("name"), text("uid")];
  if (kind === undefined || name === undefined || uid === undefined)
    throw new RequestError(400, "The body must have kind, name and uid.");
  const requested = { group: text("group") ?? "", kind, namespace: text("namespace"), name };
  const { type, ref } = await findObject(session, requested, signal);
  const before = await session.client.get(readableType(type), ref, { signal });
  if (before === undefined) return { wasFound: false };
  await session.client.delete(type, ref, { preconditions: { uid }, signal });
  return { wasFound: true };
}

const bodyBytesMax = 64 * 1024;

/** Reads the JSON body of a request. Throws a {@link RequestError} if it is too large or not JSON. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new RequestError(413, `The body is longer than ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  try {
    return parseBoundedJson(Buffer.concat(chunks), {
      what: "body",
      bytesMax: bodyBytesMax,
      depthMax: 10,
      valuesMax: 1_000,
    });
  } catch {
    throw new RequestError(400, "The body is not JSON.");
  }
}

type RequestedObject = Omit<ObjectRef, "version" | "plural">;

function objectIn(query: URLSearchParams): RequestedObject {
  const [kind, name] = [query.get("kind") ?? "", query.get("name") ?? ""];
  if (kind === "" || name === "")
    throw new RequestError(400, "The query must have kind and name, and namespace and group if there are any.");
  return { group: query.get("group") ?? "", kind, namespace: query.get("namespace") || undefined, name };
}

/** Finds the kind of an object by discovery with the rights of the user. */
async function findObject(
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
