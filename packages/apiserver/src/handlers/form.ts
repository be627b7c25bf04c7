// In which form an answer goes out: media type, and whether it is the object, its metadata or a table.

import type { JsonRecord } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { encodeProtobuf } from "../codec/encode-protobuf.ts";
import { sealEnvelope } from "../codec/envelope.ts";
import {
  listedMediaTypes,
  type MediaType,
  negotiateAccept,
  type Negotiated,
  type Offer,
} from "../codec/media-types.ts";
import { typeOfKind } from "../codec/request-object.ts";
import { writeYaml } from "./write-yaml.ts";
import type { Answer, ServerRequest } from "../http/handler.ts";
import { headerOf } from "../http/handler.ts";
import { notAcceptableStatus, unknownAcceptStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** The form that a client wants. */
export type Form = Pick<Negotiated, "mediaType" | "as" | "stream"> & { readonly isPretty: boolean };

/**
 * Chooses the form of an answer. Throws a `StatusError` (406) when the client takes none of those there are.
 *
 * `isRouted` is for the endpoints of built-in kinds, which look at the media type before anything else.
 */
export function formOf(
  request: ServerRequest,
  offer: Offer,
  { isRouted, isStream = false }: { readonly isRouted: boolean; readonly isStream?: boolean },
): Form {
  const accept = headerOf(request.headers, "accept") ?? "";
  const listed = listedMediaTypes({ isStream });
  if (isRouted && !isKnown(accept)) {
    const { verb, isResource } = request.info;
    const isMany = isResource && (verb === "list" || verb === "watch");
    const all = [...listedMediaTypes({ isStream: false }), ...(isMany ? listedMediaTypes({ isStream: true }) : [])];
    throw new StatusError(unknownAcceptStatus(all));
  }
  const found = negotiateAccept(accept, offer);
  if (found === undefined) throw new StatusError(notAcceptableStatus(listed));
  return { ...found, isPretty: found.isPretty || request.isPretty };
}

const knownTypes = new Set(["*/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]);

function isKnown(accept: string): boolean {
  if (accept === "") return true;
  return accept.split(",").some((clause) => knownTypes.has((clause.split(";")[0] ?? "").trim()));
}

/** The `Content-Type` of a media type in answers. */
export function contentType(mediaType: MediaType): string {
  return mediaType;
}

/** A value in the form that was chosen; `kind` and `apiVersion` are those of the value. */
export function encodeBody(
  value: JsonRecord,
  { mediaType, isPretty }: Pick<Form, "mediaType" | "isPretty">,
): Uint8Array | string {
  switch (mediaType) {
    case "application/json":
      return isPretty ? prettyJson(value) : `${encodeJson(value)}\n`;
    case "application/yaml":
      return writeYaml(value);
    case "application/vnd.kubernetes.protobuf":
      return encodeEnvelope(value);
  }
}

/** The value in protobuf, in its envelope. */
export function encodeEnvelope(value: JsonRecord): Uint8Array {
  // Lists of the kinds of the oldest version do not say which version they are of themselves.
  const { apiVersion = "", kind, ...rest } = value;
  const said = { apiVersion: String(apiVersion), kind: String(kind) };
  const type = typeOfKind(said.apiVersion === "" ? { ...said, apiVersion: "v1" } : said);
  return sealEnvelope(said.apiVersion, said.kind, encodeProtobuf(type, rest));
}

function prettyJson(value: JsonRecord): string {
  const text = encodeJson(value);
  // Numbers that are too long for the engine would change when they are read again.
  return /\d{16}/.test(text) ? text : escaped(JSON.stringify(value, undefined, 2));
}

function escaped(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An answer with a value in the form that was chosen. */
export function answerWith(status: number, value: JsonRecord, form: Pick<Form, "mediaType" | "isPretty">): Answer {
  return { status, headers: { "Content-Type": contentType(form.mediaType) }, body: encodeBody(value, form) };
}
