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

/** Which objects to list, and how new they must be. */
export interface ListOptions extends SelectorOptions, CallOptions {
  /** Only those of this namespace; of all when left out. */
  readonly namespace?: string | undefined;
  /** At most so many in one answer; the rest is behind `continue`. */
  readonly limit?: number | undefined;
  /** The token of an earlier page. */
  readonly continue?: string | undefined;
  /** Left out: the newest state. `"0"`: whatever the server has at hand. A version: see `resourceVersionMatch`. */
  readonly resourceVersion?: string | undefined;
  /** Whether the state must be exactly that of `resourceVersion`, or may be newer. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  /** The time the server may take, in seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/** A list, or one page of it. */
export interface Page<T> {
  readonly items: T[];
  /** The version of the collection that the list shows; a watch goes on from there. */
  readonly resourceVersion: string;
  /** The token of the next page; undefined on the last one. */
  readonly continue: string | undefined;
  /** How many are still to come, where the server knows. */
  readonly remainingItemCount: number | undefined;
}

/** A list as it comes over the wire: what the server said of it, and the bytes of its body. */
export interface ListBytes {
  readonly headers: Response["headers"];
  readonly body: Body;
}

/** Lists objects of a kind: all of them, or one page when there is a `limit`. */
export async function list<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<Page<T>> {
  const request = listRequest(type, options);
  const answer = await readJson(request, await call(caller, request, pageFailure));
  return pageIn(answer, type, request);
}

/** Lists objects of a kind and leaves the reading of the body to the caller. */
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

function pageIn<T extends KubeObject>(answer: unknown, type: ResourceType<T>, request: Request): Page<T> {
  // Go writes an empty list as null.
  const items = isRecord(answer) && Object.hasOwn(answer, "items") ? (ownValue(answer, "items") ?? []) : undefined;
  const metadata = isRecord(answer) ? ownValue(answer, "metadata") : undefined;
  if (!isList(items) || !isRecord(metadata)) throw malformed(request, "the answer is not a list");
  return {
    items: items.map((item) => objectIn(item, type, request)),
    resourceVersion: textIn(metadata, "resourceVersion") ?? "",
    continue: textIn(metadata, "continue"),
    remainingItemCount: numberIn(metadata, "remainingItemCount"),
  };
}

/** A 410 says that the page token or the version is too old, and for a token how to go on regardless. */
function pageFailure(error: ApiError, body: string): Error {
  return error instanceof GoneError ? new PageExpiredError(expired(error), continueIn(body)) : error;
}

function continueIn(body: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return undefined;
  }
  const metadata = isRecord(answer) ? ownValue(answer, "metadata") : undefined;
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
