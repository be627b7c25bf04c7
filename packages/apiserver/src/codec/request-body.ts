import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { badRequestStatus, bodyTooLargeStatus, unsupportedMediaTypeStatus } from "../status/refusals.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { encodeJson } from "./encode-json.ts";
import { openEnvelope } from "./envelope.ts";
import { readUtf8 } from "./go-text.ts";
import { listedMediaTypes, negotiateContentType } from "./media-types.ts";
import { type ReadJson, readJson } from "./read-value.ts";
import { readYaml } from "./read-yaml.ts";
import {
  decodeRequestObject,
  type ExpectedKind,
  interpretKind,
  KnownKindError,
  missingKind,
  type RequestObject,
  typeOfKind,
  withDefaults,
} from "./request-object.ts";

/** Maximum length of a body. */
export const bodyBytesMax: number = 3 * 1024 * 1024;

/** Handling of unknown and duplicate fields; empty means `Warn`. */
export type FieldStrictness = "" | "Ignore" | "Warn" | "Strict";

/** A request body and how to decode it. */
export interface RequestBody {
  readonly body: Uint8Array;
  /** The `Content-Type` header; empty if there is none. */
  readonly contentType: string;
  /** The kind of the endpoint. */
  readonly expected: ExpectedKind;
  /** True for a custom resource, which has no Go type and is decoded as plain JSON. */
  readonly isCustom: boolean;
  readonly fieldValidation: FieldStrictness;
  /**
   * True if a custom resource of another version is accepted here, because the caller refuses it with a better message.
   */
  readonly takesOtherVersions?: boolean;
}

/** A decoded object of a request. */
export interface AcceptedObject {
  readonly object: JsonRecord;
  /** Warnings for the client. */
  readonly warnings: readonly string[];
  /** Paths at which the input had an empty map or list, which the object omits. */
  readonly emptyPaths: readonly string[];
}

/**
 * Decodes the object of a create or update request.
 *
 * @throws StatusError with the response of the real server: 400 for a malformed body, 413 for one that is too long, 415
 * for an unsupported media type.
 */
export function readRequestBody(request: RequestBody): AcceptedObject {
  const { body, isCustom, expected, fieldValidation } = request;
  const mediaType = negotiateContentType(request.contentType);
  // The real server panics on protobuf for a custom resource and closes the connection.
  if (mediaType === undefined || (isCustom && mediaType === "application/vnd.kubernetes.protobuf")) {
    throw new StatusError(unsupportedMediaTypeStatus(listedMediaTypes({ isStream: false })));
  }
  if (body.length > bodyBytesMax) throw new StatusError(bodyTooLargeStatus(bodyBytesMax));
  try {
    const read = readBody(request, mediaType);
    if (!isCustom || request.takesOtherVersions !== true) checkKind(read, request);
    const { object, strictErrors, emptyPaths } = read;
    if (fieldValidation === "Ignore" || strictErrors.length === 0) return { object, warnings: [], emptyPaths };
    if (fieldValidation !== "Strict") return { object, warnings: strictErrors.flatMap(splitLines), emptyPaths };
    throw new KnownKindError(read, new DecodeError(strictText(read.strictErrors)));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // With `fieldValidation=Ignore`, the real server assumes the expected kind for a custom resource.
    const isAssumed =
      isCustom && fieldValidation === "Ignore" && error instanceof KnownKindError && error.declared.kind === "";
    const reported = isAssumed ? new KnownKindError(expected, error) : error;
    throw new StatusError(badRequestStatus(refusalText(reported, expected, body)), { cause: error });
  }
}

/** Splits a multi-line YAML error into one warning per line. */
function splitLines(strictError: string): string[] {
  const [first = "", ...rest] = strictError.split("\n");
  return rest.length === 0 ? [first] : rest.map((line) => line.trim());
}

/** Returns the error of strict validation. */
export function strictText(strictErrors: readonly string[]): string {
  return `strict decoding error: ${strictErrors.join(", ")}`;
}

function readBody({ body, expected, isCustom }: RequestBody, mediaType: string): RequestObject {
  if (mediaType === "application/vnd.kubernetes.protobuf") return readProtobuf(body, expected);
  if (mediaType === "application/json") return readText(readUtf8(body), expected, isCustom);
  const { value, duplicates } = readYaml(readUtf8(body));
  const read = readText(encodeJson(value), expected, isCustom);
  if (duplicates.length === 0) return read;
  const strictError = `yaml: unmarshal errors:\n${duplicates.map((each) => `  ${each}`).join("\n")}`;
  return { ...read, strictErrors: [strictError, ...read.strictErrors] };
}

function readText(text: string, expected: ExpectedKind, isCustom: boolean): RequestObject {
  return isCustom ? readCustom(text) : decodeRequestObject(text, expected);
}

/** A custom resource must name its kind; that of the endpoint is not assumed. */
function readCustom(text: string): RequestObject {
  const read = readCustomText(text);
  const object = isRecord(read.value) ? read.value : {};
  const kind = ownValue(object, "kind");
  const apiVersion = ownValue(object, "apiVersion");
  if (typeof kind === "string" && kind !== "" && typeof apiVersion === "string" && apiVersion.split("/").length <= 2) {
    return { object, strictErrors: read.duplicates, emptyPaths: [], kind, apiVersion };
  }
  const declared = interpretKind(text);
  if (declared.kind === "") throw missingKind(declared, text);
  return { object, strictErrors: read.duplicates, emptyPaths: [], ...declared };
}

/** The real server detects malformed JSON when it looks for the kind, and its message says so. */
function readCustomText(text: string): ReadJson {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof DecodeError) interpretKind(text);
    throw error;
  }
}

function readProtobuf(body: Uint8Array, expected: ExpectedKind): RequestObject {
  const envelope = openEnvelope(body);
  const declared = withDefaults(envelope, expected);
  const type = typeOfKind(declared);
  try {
    const { kind: _, apiVersion: __, ...rest } = decodeProtobuf(type, envelope.raw);
    return {
      object: { kind: declared.kind, apiVersion: declared.apiVersion, ...rest },
      strictErrors: [],
      emptyPaths: [],
      ...declared,
    };
  } catch (error) {
    if (error instanceof DecodeError) throw new KnownKindError(declared, error);
    throw error;
  }
}

/** Refuses an object of another kind than the endpoint's. */
function checkKind(read: RequestObject, { expected, isCustom }: RequestBody): void {
  if (read.kind === expected.kind && read.apiVersion === expected.apiVersion) return;
  if (read.kind === expected.kind || isCustom) {
    if (read.apiVersion === expected.apiVersion) return;
    throw new StatusError(otherVersionStatus(read.apiVersion, expected.apiVersion));
  }
  const from = `${versionOf(read.apiVersion)}.${read.kind}`;
  const into = `${packageOf(expected.apiVersion)}.${expected.kind}`;
  throw new KnownKindError(read, new DecodeError(`converting (${from}) to (${into}): unknown conversion`));
}

/** Returns the 400 for an object of another version than the endpoint's. */
export function otherVersionStatus(declared: string, expected: string): ServerStatus {
  return badRequestStatus(
    `the API version in the data (${declared}) does not match the expected API version (${expected})`,
  );
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** Returns the name of the Go package with a group's internal types. */
function packageOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "core" : (apiVersion.slice(0, slash).split(".")[0] ?? "");
}

/** Returns the message of the refusal, with the kind if it is known. */
function refusalText(error: DecodeError, expected: ExpectedKind, body: Uint8Array): string {
  if (error instanceof KnownKindError && error.declared.kind !== "") {
    const { kind, apiVersion } = error.declared;
    return `${kind} in version ${quote(versionOf(apiVersion))} cannot be handled as a ${expected.kind}: ${error.message}`;
  }
  return `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${summary(body)})`;
}

const summaryBytes = 30;

/** Returns the start of a body: as text if it looks like JSON, else in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, summaryBytes));
  const text = body[0] === 0x7b ? start.toString("utf8") : start.toString("hex");
  return body.length > summaryBytes ? `${text} ...` : text;
}
