// Responses with one object or a list, in the form that the client accepts: whole, as a Table, or only the metadata.

import { quote } from "@homeostat/cel";
import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import type { HandlerResponse } from "../http/handler.ts";
import { apiVersionOf, isServedAsStored, isShownAsStored } from "../registry/call.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { badRequest } from "../request/option-problem.ts";
import type { Query } from "../request/query.ts";
import { notAcceptableStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Entry } from "../storage/entry.ts";
import { createdAtCells } from "../tables/plain-cells.ts";
import { type IncludeObject, makeTable, partialMetadata } from "../tables/table.ts";
import { responseWith, type Form } from "./response-form.ts";

/** Inputs of a response about objects of one kind. */
export interface ResponseContext {
  readonly kind: ServedKind;
  readonly form: Form;
  readonly nowMs: number;
  readonly include: IncludeObject;
}

/** A stored object; with its entry, if the object is unchanged, so that the stored bytes can be sent without encoding them again. */
export interface ShownObject {
  readonly stored: JsonRecord;
  readonly entry?: Entry<JsonRecord> | undefined;
}

/** Returns the value of `includeObject`: how much of each object a Table contains. Throws a `StatusError` (400) for an unknown value. */
export function includeOf(query: Query, { as }: Form): IncludeObject {
  const word = query.first("includeObject") ?? "";
  if (as?.kind !== "Table" || word === "") return "Metadata";
  if (word === "Metadata" || word === "None" || word === "Object") return word;
  const problem = `includeObject: Invalid value: ${quote(word)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${problem}`);
}

const newline = 0x0a;

/** Builds the response with one object. Plain JSON in the stored version is copied from the store without decoding it. */
export async function objectResponse(
  context: ResponseContext,
  { stored, entry }: ShownObject,
  status: number,
): Promise<HandlerResponse> {
  const { kind, form } = context;
  if (entry !== undefined && isPlain(form) && isShownAsStored(kind, entry)) {
    const body = Buffer.allocUnsafeSlow(entry.size + 1);
    body[entry.copyTo(body, 0)] = newline;
    return { status, headers: { "Content-Type": form.mediaType }, body };
  }
  return responseWith(status, transformed(context, await kind.fromStored(stored)), form);
}

function isPlain({ mediaType, as, isPretty }: Form): boolean {
  return mediaType === "application/json" && as === undefined && !isPretty;
}

/** Returns an object in the requested form: whole, as a Table with one row, or only its metadata. */
export function transformed(
  { kind, form, nowMs, include }: ResponseContext,
  object: JsonRecord,
  { noHeaders = false }: { readonly noHeaders?: boolean } = {},
): JsonRecord {
  const { as } = form;
  if (as === undefined) return object;
  const apiVersion = `${as.group}/${as.version}`;
  switch (as.kind) {
    case "Table":
      return inVersion(
        makeTable(kind.table, object["metadata"], [object], { nowMs, includeObject: include, noHeaders }),
        apiVersion,
      );
    case "PartialObjectMetadata":
      return { ...partialMetadata(object), apiVersion };
    default:
      throw notListError(kind);
  }
}

function notListError(kind: ServedKind): StatusError {
  const type = goType(kind, kind.resource.kind);
  const status = notAcceptableStatus([]);
  const message = `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`;
  return new StatusError({ ...status, message });
}

/** Returns the Go type of an object in kube-apiserver, which some of its messages contain. */
function goType({ resource: { isCustom, group } }: ServedKind, word: string): string {
  if (isCustom) return `*unstructured.Unstructured${word.endsWith("List") ? "List" : ""}`;
  return `*${group === "" ? "core" : (group.split(".")[0] ?? group)}.${word}`;
}

/** Returns the Table and the metadata in its rows with the requested version of `meta.k8s.io`. */
function inVersion(table: ReturnType<typeof makeTable>, apiVersion: string): JsonRecord {
  if (apiVersion === table.apiVersion) return { ...table };
  const rows = table.rows.map((row) => {
    const { object } = row;
    const isPartial = isRecord(object) && object["kind"] === "PartialObjectMetadata";
    return isPartial ? { ...row, object: { ...object, apiVersion } } : row;
  });
  return { ...table, apiVersion, rows };
}

/** Metadata of a list. */
export interface ListHead {
  /** Undefined for kinds that are not stored. */
  readonly revision?: number;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

/** Builds the response with a list. Plain JSON in the stored version is assembled from the stored bytes. */
export async function listResponse(
  context: ResponseContext,
  head: ListHead,
  shown: readonly ShownObject[],
  status = 200,
): Promise<HandlerResponse> {
  const { kind, form } = context;
  if (isPlain(form) && isServedAsStored(kind)) {
    const entries = shown.flatMap(({ entry }) => (entry !== undefined && isShownAsStored(kind, entry) ? [entry] : []));
    if (entries.length === shown.length) return plainList(kind, head, entries, status);
  }
  const objects = await servedAll(
    kind,
    shown.map(({ stored }) => stored),
  );
  return responseWith(status, transformedList(context, head, objects), form);
}

async function servedAll(kind: ServedKind, stored: readonly JsonRecord[]): Promise<JsonRecord[]> {
  if (kind.fromStoredAll !== undefined) return kind.fromStoredAll(stored);
  const objects: JsonRecord[] = [];
  for (const each of stored) objects.push(await kind.fromStored(each));
  return objects;
}

function transformedList(
  { kind, form, nowMs, include }: ResponseContext,
  head: ListHead,
  objects: readonly JsonRecord[],
): JsonRecord {
  const { as } = form;
  if (as === undefined) return listOf(kind, head, objects);
  const apiVersion = `${as.group}/${as.version}`;
  const metadata = listMeta(head);
  switch (as.kind) {
    case "Table":
      return withNilRows(
        kind,
        inVersion(makeTable(kind.table, metadata, objects, { nowMs, includeObject: include }), apiVersion),
      );
    case "PartialObjectMetadataList":
      return {
        kind: as.kind,
        apiVersion,
        metadata,
        items: objects.map((object) => ({ ...partialMetadata(object), apiVersion })),
      };
    default: {
      const message = `you requested PartialObjectMetadata, but the requested object is a list (${goType(kind, kind.listKind)})`;
      throw new StatusError({ ...notAcceptableStatus([]), message });
    }
  }
}

/** Replaces an empty list of rows by null for kinds without a printer of their own: kube-apiserver encodes a nil slice there. */
function withNilRows(kind: ServedKind, table: JsonRecord): JsonRecord {
  const isPlain = kind.table.cells === createdAtCells;
  return isPlain && isList(table["rows"]) && table["rows"].length === 0 ? { ...table, rows: null } : table;
}

function listMeta({ revision, continueToken, remainingItemCount }: ListHead): JsonRecord {
  return {
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    ...(continueToken === undefined ? {} : { continue: continueToken }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

/** Returns the metadata of a list of custom resources: sorted keys, and `continue` even when it is empty. */
function customListMeta({ revision, continueToken = "", remainingItemCount }: ListHead): JsonRecord {
  return {
    continue: continueToken,
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    resourceVersion: String(revision),
  };
}

function listOf(kind: ServedKind, head: ListHead, objects: readonly JsonRecord[]): JsonRecord {
  const apiVersion = apiVersionOf(kind);
  if (kind.resource.isCustom)
    return { apiVersion, items: objects, kind: kind.listKind, metadata: customListMeta(head) };
  // Items of a built-in list have neither `kind` nor `apiVersion`, as on kube-apiserver.
  const items = objects.map(withoutType);
  return { kind: kind.listKind, apiVersion, metadata: listMeta(head), items };
}

const comma = 0x2c;
const brace = 0x7b;
const encoder = new TextEncoder();

/** Builds a list response from the stored bytes of its entries. */
function plainList(
  kind: ServedKind,
  head: ListHead,
  entries: readonly Entry<JsonRecord>[],
  status: number,
): HandlerResponse {
  const [first, last] = surroundingBytes(kind, head);
  const skipped = kind.resource.isCustom ? 0 : typeMetaLength(kind);
  const sizes = entries.reduce((sum, { size }) => sum + size + 2, first.length + last.length);
  const body = Buffer.allocUnsafeSlow(sizes);
  body.set(first);
  let at = first.length;
  for (const [index, entry] of entries.entries()) {
    if (index > 0) body[at++] = comma;
    if (skipped > 0) body[at++] = brace;
    at = entry.copyTo(body, at, skipped);
  }
  body.set(last, at);
  return { status, headers: { "Content-Type": "application/json" }, body: body.subarray(0, at + last.length) };
}

/** Returns the bytes before and after the items. */
function surroundingBytes(kind: ServedKind, head: ListHead): [Uint8Array, Uint8Array] {
  const placeholder = "items-go-here";
  const text = encodeJson({ ...listOf(kind, head, []), items: placeholder });
  const [before = "", after = ""] = text.split(`"${placeholder}"`);
  return [encoder.encode(`${before}[`), encoder.encode(`]${after}\n`)];
}

/** Returns the length of `kind` and `apiVersion` at the beginning of a stored object, which items of built-in lists do not show. */
function typeMetaLength(kind: ServedKind): number {
  return encoder.encode(
    `{"kind":${JSON.stringify(kind.resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(kind))},`,
  ).length;
}

function withoutType(object: JsonRecord): JsonRecord {
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}
