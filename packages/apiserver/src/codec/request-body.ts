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

/** How long a body may be. */
export const bodyBytesMax: number = 3 * 1024 * 1024;

/** What to do about unknown and repeated fields; to say nothing is to ask for warnings. */
export type FieldStrictness = "" | "Ignore" | "Warn" | "Strict";

/** A body as it came, and what is to be made of it. */
export interface RequestBody {
  readonly body: Uint8Array;
  /** The `Content-Type` header; empty when there was none. */
  readonly contentType: string;
  /** The kind that the endpoint is for. */
  readonly expected: ExpectedKind;
  /** Whether that is a custom resource: read as it is, without a type. */
  readonly isCustom: boolean;
  readonly fieldValidation: FieldStrictness;
  /** Whether a custom resource of another version is read, too: the caller refuses it, with more to say. */
  readonly takesOtherVersions?: boolean;
}

/** An object of a request, ready for the next step. */
export interface AcceptedObject {
  readonly object: JsonRecord;
  /** What the client is to be warned of. */
  readonly warnings: readonly string[];
  /** Where an empty map or list was said, which leaves no trace in the object. */
  readonly emptied: readonly string[];
}

/**
 * Reads the object of a create or update request.
 *
 * Throws a `StatusError` with the answer of the real server: 400 for what cannot be read, 413 for what is too long, 415
 * for a form that is not read here.
 */
export function readRequestBody(request: RequestBody): AcceptedObject {
  const { body, isCustom, expected, fieldValidation } = request;
  const mediaType = negotiateContentType(request.contentType);
  // The real server does not survive protobuf for a custom resource: it hangs up.
  if (mediaType === undefined || (isCustom && mediaType === "application/vnd.kubernetes.protobuf")) {
    throw new StatusError(unsupportedMediaTypeStatus(listedMediaTypes({ isStream: false })));
  }
  if (body.length > bodyBytesMax) throw new StatusError(bodyTooLargeStatus(bodyBytesMax));
  try {
    const read = readBody(request, mediaType);
    if (!isCustom || request.takesOtherVersions !== true) checkKind(read, request);
    const { object, complaints, emptied } = read;
    if (fieldValidation === "Ignore" || complaints.length === 0) return { object, warnings: [], emptied };
    if (fieldValidation !== "Strict") return { object, warnings: complaints.flatMap(lines), emptied };
    throw new KnownKindError(read, new DecodeError(strictText(read.complaints)));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // Who does not look closely takes a custom resource for what was expected.
    const isTaken =
      isCustom && fieldValidation === "Ignore" && error instanceof KnownKindError && error.said.kind === "";
    const told = isTaken ? new KnownKindError(expected, error) : error;
    throw new StatusError(badRequestStatus(refusalText(told, expected, body)), { cause: error });
  }
}

/** What a reader of YAML says in several lines is told one by one. */
function lines(complaint: string): string[] {
  const [first = "", ...rest] = complaint.split("\n");
  return rest.length === 0 ? [first] : rest.map((line) => line.trim());
}

/** What strict validation says of a list of complaints. */
export function strictText(complaints: readonly string[]): string {
  return `strict decoding error: ${complaints.join(", ")}`;
}

function readBody({ body, expected, isCustom }: RequestBody, mediaType: string): RequestObject {
  if (mediaType === "application/vnd.kubernetes.protobuf") return readProtobuf(body, expected);
  if (mediaType === "application/json") return readText(readUtf8(body), expected, isCustom);
  const { value, duplicates } = readYaml(readUtf8(body));
  const read = readText(encodeJson(value), expected, isCustom);
  if (duplicates.length === 0) return read;
  const complaint = `yaml: unmarshal errors:\n${duplicates.map((each) => `  ${each}`).join("\n")}`;
  return { ...read, complaints: [complaint, ...read.complaints] };
}

function readText(text: string, expected: ExpectedKind, isCustom: boolean): RequestObject {
  return isCustom ? readCustom(text) : decodeRequestObject(text, expected);
}

/** A custom resource must say what it is; the kind of the endpoint does not stand in for it. */
function readCustom(text: string): RequestObject {
  const read = readCustomText(text);
  const object = isRecord(read.value) ? read.value : {};
  const kind = ownValue(object, "kind");
  const apiVersion = ownValue(object, "apiVersion");
  if (typeof kind === "string" && kind !== "" && typeof apiVersion === "string" && apiVersion.split("/").length <= 2) {
    return { object, complaints: read.duplicates, emptied: [], kind, apiVersion };
  }
  const said = interpretKind(text);
  if (said.kind === "") throw missingKind(said, text);
  return { object, complaints: read.duplicates, emptied: [], ...said };
}

/** What is no JSON is found when its kind is looked for, and told so. */
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
  const said = withDefaults(envelope, expected);
  const type = typeOfKind(said);
  try {
    const { kind: _, apiVersion: __, ...rest } = decodeProtobuf(type, envelope.raw);
    return { object: { kind: said.kind, apiVersion: said.apiVersion, ...rest }, complaints: [], emptied: [], ...said };
  } catch (error) {
    if (error instanceof DecodeError) throw new KnownKindError(said, error);
    throw error;
  }
}

/** An object of another kind than the endpoint's cannot be made one. */
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

/** 400: an object says that it is of another version than the endpoint's. */
export function otherVersionStatus(said: string, expected: string): ServerStatus {
  return badRequestStatus(
    `the API version in the data (${said}) does not match the expected API version (${expected})`,
  );
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** The name of the Go package that holds a group's own types. */
function packageOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "core" : (apiVersion.slice(0, slash).split(".")[0] ?? "");
}

/** Why a body is refused, with as much of it as is known. */
function refusalText(error: DecodeError, expected: ExpectedKind, body: Uint8Array): string {
  if (error instanceof KnownKindError && error.said.kind !== "") {
    const { kind, apiVersion } = error.said;
    return `${kind} in version ${quote(versionOf(apiVersion))} cannot be handled as a ${expected.kind}: ${error.message}`;
  }
  return `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${summary(body)})`;
}

const summaryBytes = 30;

/** The beginning of a body: as text when it looks like JSON, else in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, summaryBytes));
  const text = body[0] === 0x7b ? start.toString("utf8") : start.toString("hex");
  return body.length > summaryBytes ? `${text} ...` : text;
}
