import {
  type ApiError,
  GoneError,
  isList,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import type { Body, Request, Response } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, malformed, readJson, subjectOf } from "./call.ts";
import { acceptHeader, objectIn } from "./objects.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { expired, PageExpiredError } from "./expired.ts";
import { selectorQuery, type SelectorOptions } from "./selectors.ts";

/** Options of `list`. */
export interface ListOptions extends SelectorOptions, CallOptions {
  /** The namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** The maximum number of objects per page. The rest follows with `continue`. */
  readonly limit?: number | undefined;
  /** The continue token of the previous page. */
  readonly continue?: string | undefined;
  /** Default: the most recent state. `"0"`: any state in the server's watch cache. Other versions: see `resourceVersionMatch`. */
  readonly resourceVersion?: string | undefined;
  /** `Exact` for the state at `resourceVersion`, `NotOlderThan` for that or a newer state. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  /** The time limit of the server, in seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/** A list, or one page of it. */
export interface Page<T> {
  readonly items: T[];
  /** The resource version of the list. A watch from here misses no change. */
  readonly resourceVersion: string;
  /** The token of the next page; undefined on the last page. */
  readonly continue: string | undefined;
  /** The number of objects on the following pages; undefined if the server does not know it, as with selectors. */
  readonly remainingItemCount: number | undefined;
}

/** An unparsed list. */
export interface ListBytes {
  readonly headers: Response["headers"];
  readonly body: Body;
}

/** Lists objects of a kind, or one page of them if `limit` is set. */
export async function list<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<Page<T>> {
  const request = listRequest(type, options);
  const value = await readJson(request, await call(caller, request, pageFailure));
  return pageIn(value, type, request);
}

/** Lists objects of a kind without reading the body. */
export async function listBytes(caller: Caller, type: ResourceType, options: ListOptions = {}): Promise<ListBytes> {
  const { headers, body } = await call(caller, listRequest(type, options), pageFailure);
  return { headers, body };
}

function listRequest(type: ResourceType, options: ListOptions): Request {
  const { namespace, limit, resourceVersion, resourceVersionMatch, timeoutSeconds, timeouts, signal } = options;
  return {
    method: "GET",
    path: withQuery(collectionPath(type, namespace), {
      ...selectorQuery(options),
      limit,
      continue: options.continue,
      resourceVersion,
      resourceVersionMatch,
      timeoutSeconds,
    }),
    headers: { accept: acceptHeader(type, "list") },
    about: subjectOf("list", type),
    timeouts,
    signal,
  };
}

function pageIn<T extends KubeObject>(value: unknown, type: ResourceType<T>, request: Request): Page<T> {
  // Go encodes a nil slice as null.
  const items = isRecord(value) && Object.hasOwn(value, "items") ? (ownValue(value, "items") ?? []) : undefined;
  const metadata = isRecord(value) ? ownValue(value, "metadata") : undefined;
  if (!isList(items) || !isRecord(metadata)) throw malformed(request, "the response is not a list");
  return {
    items: items.map((item) => objectIn(item, type, request)),
    resourceVersion: textIn(metadata, "resourceVersion") ?? "",
    continue: textIn(metadata, "continue"),
    remainingItemCount: numberIn(metadata, "remainingItemCount"),
  };
}

/** Converts a 410 to a `PageExpiredError`, with the token in its body that continues the list inconsistently. */
function pageFailure(error: ApiError, body: string): Error {
  return error instanceof GoneError ? new PageExpiredError(expired(error), continueIn(body)) : error;
}

function continueIn(body: string): string | undefined {
  let status: unknown;
  try {
    status = JSON.parse(body);
  } catch {
    return undefined;
  }
  const metadata = isRecord(status) ? ownValue(status, "metadata") : undefined;
  return isRecord(metadata) ? textIn(metadata, "continue") : undefined;
}

function textIn(record: JsonRecord, key: string): string | undefined {
  const value = ownValue(record, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(record: JsonRecord, key: string): number | undefined {
  const value = ownValue(record, key);
  return typeof value === "number" ? value : undefined;
}
