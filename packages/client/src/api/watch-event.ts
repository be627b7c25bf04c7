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
import { malformed, placeOf, withoutText } from "./call.ts";
import { expired } from "./expired.ts";
import { objectIn } from "./objects.ts";

/** What a watch tells. */
export type WatchEvent<T> =
  /** The object exists, or has begun to match the selector. Also how a watch begins, without a version to begin from. */
  | { readonly type: "ADDED"; readonly object: T }
  | { readonly type: "MODIFIED"; readonly object: T }
  /** The object is gone, or has ceased to match; this is its last state, with the version of the deletion. */
  | { readonly type: "DELETED"; readonly object: T }
  /** Nothing happened up to this version. */
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** Whether it ends the objects that `sendInitialEvents` asked for. */
      readonly isEndOfInitialEvents: boolean;
    };

/** What is needed to make sense of a line. */
export interface EventContext<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly request: Request;
  /** The time of day, for errors that ask for patience until some date. */
  readonly now: number;
}

/**
 * The event in a line of a watch.
 *
 * Throws the error that an `ERROR` event stands for, and a `MalformedAnswerError` when the line is no event at all.
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
      const error = apiErrorFrom({ status, body: object, request: placeOf(request), now });
      throw error instanceof GoneError ? expired(error) : error;
    }
    default:
      throw malformed(request, `a line of the watch (${line.length} bytes) has no known type of event`);
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
    throw malformed(request, "a bookmark of the watch has no version");
  }
  const annotations = ownValue(metadata, "annotations");
  return {
    type: "BOOKMARK",
    resourceVersion: version,
    isEndOfInitialEvents: isRecord(annotations) && ownValue(annotations, "k8s.io/initial-events-end") === "true",
  };
}
