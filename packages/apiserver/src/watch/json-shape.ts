import { isRecord, safeSet } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import type { EventType, Shape } from "./shape.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const heads: Readonly<Record<EventType, Uint8Array>> = {
  ADDED: encoder.encode('{"type":"ADDED","object":'),
  MODIFIED: encoder.encode('{"type":"MODIFIED","object":'),
  DELETED: encoder.encode('{"type":"DELETED","object":'),
};
const tail = encoder.encode("}\n");

/** What a bookmark must say of itself. */
export interface BookmarkKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The shape of objects that are stored just as they are served: JSON, with `metadata.resourceVersion` in it.
 *
 * Nothing is parsed: the bytes of the value are put between two pieces of text. Only a deleted object has to show a later version
 * than the one stored with it, and is encoded anew.
 */
export function jsonShape<T>({ apiVersion, kind }: BookmarkKind): Shape<T> {
  return {
    id: `${apiVersion} ${kind} json`,
    encode: (type, entry, revision) =>
      revision === entry.revision ? entryLine(type, entry) : eventLine(type, withRevision(entry, revision)),
    bookmark: (revision, isInitialEnd) => {
      const annotations = isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
      const object = { kind, apiVersion, metadata: { resourceVersion: String(revision), ...annotations } };
      return encoder.encode(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
    },
  };
}

function entryLine<T>(type: EventType, entry: Entry<T>): Uint8Array {
  const head = heads[type];
  const line = Buffer.allocUnsafeSlow(head.length + entry.size + tail.length);
  line.set(head);
  line.set(tail, entry.copyTo(line, head.length));
  return line;
}

/** An event of a watch around an object that is JSON already: one line. */
export function eventLine(type: EventType, object: Uint8Array): Uint8Array {
  const head = heads[type];
  const line = new Uint8Array(head.length + object.length + tail.length);
  line.set(head);
  line.set(object, head.length);
  line.set(tail, head.length + object.length);
  return line;
}

function withRevision<T>({ bytes }: Entry<T>, revision: number): Uint8Array {
  const object: unknown = JSON.parse(decoder.decode(bytes));
  if (isRecord(object) && isRecord(object["metadata"]))
    safeSet(object["metadata"], "resourceVersion", String(revision));
  return encoder.encode(JSON.stringify(object));
}
