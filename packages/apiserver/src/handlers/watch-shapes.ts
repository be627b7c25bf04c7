import type { JsonRecord } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { sealWatchFrame } from "../codec/watch-frame.ts";
import { apiVersionOf, isServedAsStored } from "../registry/call.ts";
import { withVersion } from "../registry/stored-object.ts";
import type { WatchShapes } from "../registry/watch-objects.ts";
import type { ServerStatus } from "../status/status.ts";
import type { Entry } from "../storage/entry.ts";
import { eventLine, jsonShape } from "../watch/json-shape.ts";
import type { EventType, Frame, Shape } from "../watch/shape.ts";
import { type ResponseContext, transformed } from "./responses.ts";
import { encodeEnvelope, type Form } from "./response-form.ts";

const encoder = new TextEncoder();

/**
 * Returns the encodings of the events of a watch. `read` returns the object of an entry.
 *
 * Encoded events are shared between watchers whose shapes have the same ID, so the ID must contain everything that the bytes depend on.
 */
export function shapesOf(
  context: Omit<ResponseContext, "nowMs"> & { readonly nowMs: () => number },
  read: (entry: Entry<JsonRecord>) => JsonRecord,
): WatchShapes {
  const { kind, form } = context;
  const names = { apiVersion: apiVersionOf(kind), kind: kind.resource.kind };
  const isJson = form.mediaType !== "application/vnd.kubernetes.protobuf";
  if (isJson && form.as === undefined && isServedAsStored(kind) && kind.identicalSinceRevision === undefined)
    return { shape: jsonShape(names) };
  const shapeFor = (noHeaders: boolean): Shape<JsonRecord> => {
    const show = (object: JsonRecord): JsonRecord =>
      transformed({ ...context, nowMs: context.nowMs() }, object, { noHeaders });
    return {
      id: shapeId(context, noHeaders),
      encode: (type, entry, revision) => {
        const stored = read(entry);
        const current = revision === entry.revision ? stored : withVersion(stored, String(revision));
        const served = kind.fromStored(current);
        if (served instanceof Promise) return served.then((object) => frameOf(type, show(object), form));
        return frameOf(type, show(served), form);
      },
      bookmark: (revision, isInitialEnd) => frameOf("BOOKMARK", show(bookmarkOf(names, revision, isInitialEnd)), form),
    };
  };
  if (form.as?.kind !== "Table") return { shape: shapeFor(false) };
  return { shape: shapeFor(true), firstShape: shapeFor(false) };
}

function shapeId({ kind, form, include }: Omit<ResponseContext, "nowMs">, noHeaders: boolean): string {
  const { as } = form;
  const suffix = as === undefined ? "" : `${as.kind} ${as.version} ${include} ${String(noHeaders)}`;
  return `${apiVersionOf(kind)} ${kind.resource.kind} ${form.mediaType} ${suffix}`;
}

function bookmarkOf(
  names: { readonly apiVersion: string; readonly kind: string },
  revision: number,
  isInitialEnd: boolean,
): JsonRecord {
  const annotations = isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const { kind, apiVersion } = names;
  return { kind, apiVersion, metadata: { resourceVersion: String(revision), ...annotations } };
}

function frameOf(
  type: EventType | "BOOKMARK" | "ERROR",
  object: JsonRecord,
  { mediaType }: Pick<Form, "mediaType">,
): Frame {
  if (mediaType === "application/vnd.kubernetes.protobuf") return sealWatchFrame(type, encodeEnvelope(object));
  const bytes = encoder.encode(encodeJson(object));
  if (type === "BOOKMARK" || type === "ERROR")
    return encoder.encode(`{"type":"${type}","object":${encodeJson(object)}}\n`);
  return eventLine(type, bytes);
}

/** Returns the ERROR event that ends a watch. */
export function errorFrame(status: ServerStatus, form: Pick<Form, "mediaType">): Frame {
  return frameOf("ERROR", { ...status }, form);
}
