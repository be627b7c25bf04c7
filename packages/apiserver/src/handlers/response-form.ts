// The form of a response: its media type, and whether it contains the object, its metadata or a Table.

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
import type { HandlerResponse, ServerRequest } from "../http/handler.ts";
import { headerOf } from "../http/handler.ts";
import { notAcceptableStatus, unknownAcceptStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** The negotiated form of a response. */
export type Form = Pick<Negotiated, "mediaType" | "as" | "stream"> & { readonly isPretty: boolean };

/**
 * Negotiates the form of a response. Throws a `StatusError` (406) when the client accepts none of the offered ones.
 *
 * `isRouted` is for the endpoints of built-in kinds: go-restful checks the media type when it routes a request, before negotiation, and
 * has an error of its own.
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

/** Returns the `Content-Type` header for a media type. */
export function contentType(mediaType: MediaType): string {
  return mediaType;
}

/** Encodes a value in the negotiated form. The value must have `kind` and `apiVersion`. */
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

/** Encodes a value in protobuf, inside the `runtime.Unknown` envelope. */
export function encodeEnvelope(value: JsonRecord): Uint8Array {
  // Lists of the core group come without an apiVersion.
  const { apiVersion = "", kind, ...rest } = value;
  const typeMeta = { apiVersion: String(apiVersion), kind: String(kind) };
  const type = typeOfKind(typeMeta.apiVersion === "" ? { ...typeMeta, apiVersion: "v1" } : typeMeta);
  return sealEnvelope(typeMeta.apiVersion, typeMeta.kind, encodeProtobuf(type, rest));
}

function prettyJson(value: JsonRecord): string {
  const text = encodeJson(value);
  // `JSON.stringify` cannot print integers beyond 2^53 exactly, so values with such numbers are not indented.
  return /\d{16}/.test(text) ? text : escaped(JSON.stringify(value, undefined, 2));
}

function escaped(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Builds a response with a value in the negotiated form. */
export function responseWith(
  status: number,
  value: JsonRecord,
  form: Pick<Form, "mediaType" | "isPretty">,
): HandlerResponse {
  return { status, headers: { "Content-Type": contentType(form.mediaType) }, body: encodeBody(value, form) };
}
