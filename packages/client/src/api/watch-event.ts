import {
  apiErrorFrom,
  GoneError,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { malformed, requestInfo, withoutText } from "./call.ts";
import { expired } from "./expired.ts";
import { objectIn } from "./objects.ts";

/** An event of a watch. */
export type WatchEvent<T> =
  /** The object was created or now matches the selector. A watch without a resource version starts with one per existing object. */
  | { readonly type: "ADDED"; readonly object: T }
  | { readonly type: "MODIFIED"; readonly object: T }
  /** The object was deleted or no longer matches the selector. This is its last state, with the resource version of the deletion. */
  | { readonly type: "DELETED"; readonly object: T }
  /** All changes up to this resource version have been sent. */
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** True if it ends the initial events of `sendInitialEvents`. */
      readonly isEndOfInitialEvents: boolean;
    };

/** The input of {@link eventIn} beside the line. */
export interface EventContext<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly request: Request;
  /** The time of day, to evaluate a `Retry-After` date. */
  readonly now: number;
}

/**
 * Parses a line of a watch.
 *
 * Throws the `ApiError` of an `ERROR` event, and a `MalformedAnswerError` if the line is not an event.
 */
export function eventIn<T extends KubeObject>(line: Buffer, { type, request, now }: EventContext<T>): WatchEvent<T> {
  const event = parse(line, request);
  const kind = ownValue(event, "type");
  const object = ownValue(event, "object");
  switch (kind) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: kind, object: objectIn(object, type, request) };
    case "BOOKMARK":
      return bookmark(object, request);
    case "ERROR": {
      const code = isRecord(object) ? ownValue(object, "code") : undefined;
      const status = typeof code === "number" ? code : 500;
      const error = apiErrorFrom({ status, body: object, request: requestInfo(request), now });
      throw error instanceof GoneError ? expired(error) : error;
    }
    default:
      throw malformed(request, `a line of the watch (${line.length} bytes) has an unknown event type`);
  }
}

function parse(line: Buffer, request: Request): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch (cause) {
    throw malformed(request, `a line of the watch (${line.length} bytes) is not JSON`, withoutText(cause));
  }
  if (isRecord(value)) return value;
  throw malformed(request, `a line of the watch (${line.length} bytes) is not an event`);
}

function bookmark(object: unknown, request: Request): WatchEvent<never> {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const version = isRecord(metadata) ? ownValue(metadata, "resourceVersion") : undefined;
  if (!isRecord(metadata) || typeof version !== "string") {
    throw malformed(request, "a bookmark of the watch has no resourceVersion");
  }
  const annotations = ownValue(metadata, "annotations");
  return {
    type: "BOOKMARK",
    resourceVersion: version,
    isEndOfInitialEvents: isRecord(annotations) && ownValue(annotations, "k8s.io/initial-events-end") === "true",
  };
}
