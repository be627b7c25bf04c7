import { isRecord, safeSet } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import type { EventType, Shape } from "./shape.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const prefixes: Readonly<Record<EventType, Uint8Array>> = {
  ADDED: encoder.encode('{"type":"ADDED","object":'),
  MODIFIED: encoder.encode('{"type":"MODIFIED","object":'),
  DELETED: encoder.encode('{"type":"DELETED","object":'),
};
const suffix = encoder.encode("}\n");

/** The kind of the object in a bookmark, which has only metadata besides. */
export interface BookmarkKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Returns the shape for objects that are stored exactly as they are served: JSON that includes
 * `metadata.resourceVersion`.
 *
 * The stored bytes are copied between a prefix and a suffix without parsing. Only a DELETED event is parsed and encoded
 * again, because it shows the revision of the deletion and not that of the last stored state.
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
  const prefix = prefixes[type];
  const line = Buffer.allocUnsafeSlow(prefix.length + entry.size + suffix.length);
  line.set(prefix);
  line.set(suffix, entry.copyTo(line, prefix.length));
  return line;
}

/** Returns a watch event with an object that is encoded as JSON already: one line. */
export function eventLine(type: EventType, object: Uint8Array): Uint8Array {
  const prefix = prefixes[type];
  const line = new Uint8Array(prefix.length + object.length + suffix.length);
  line.set(prefix);
  line.set(object, prefix.length);
  line.set(suffix, prefix.length + object.length);
  return line;
}

function withRevision<T>({ bytes }: Entry<T>, revision: number): Uint8Array {
  const object: unknown = JSON.parse(decoder.decode(bytes));
  if (isRecord(object) && isRecord(object["metadata"]))
    safeSet(object["metadata"], "resourceVersion", String(revision));
  return encoder.encode(JSON.stringify(object));
}
