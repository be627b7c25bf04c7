import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord, once } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { convertTyped } from "../codec/convert-typed.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeAs } from "../codec/decode-typed.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { printGo, readUtf8 } from "../codec/go-text.ts";
import { type ReadJson, readJson } from "../codec/read-value.ts";
import { readYaml } from "../codec/read-yaml.ts";
import { type FieldStrictness, strictText } from "../codec/request-body.ts";
import {
  decodeRequestObject,
  type ExpectedKind,
  interpretKind,
  type RequestObject,
  typeOfKind,
} from "../codec/request-object.ts";
import type { GoType } from "../codec/type-table.ts";
import {
  badRequestStatus,
  invalidStatus,
  tooLargeStatus,
  unknownErrorStatus,
  unknownPatchTypeStatus,
  unprocessableStatus,
  unsupportedMediaTypeStatus,
} from "../status/refusals.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { applyServerJsonPatch } from "./json-patch.ts";
import { applyServerMergePatch } from "./merge-patch.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

/** A form of patch, by its media type. */
export type PatchType =
  | "application/json-patch+json"
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/apply-patch+yaml";

const patchTypes: readonly PatchType[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** The form of a patch by its `Content-Type` header. Throws a `StatusError` (415) when the endpoint does not take it. */
export function readPatchType(header: string, { isCustom }: { readonly isCustom: boolean }): PatchType {
  const at = header.indexOf(";");
  const type = at > 0 ? header.slice(0, at) : header;
  const known = patchTypes.filter((each) => !isCustom || each !== "application/strategic-merge-patch+json");
  const found = known.find((each) => each === type);
  if (found !== undefined) return found;
  throw new StatusError(isCustom ? unsupportedMediaTypeStatus(known) : unknownPatchTypeStatus());
}

/** A patch that is not an apply, and the object it is for. */
export interface PatchRequest {
  readonly type: Exclude<PatchType, "application/apply-patch+yaml">;
  readonly body: Uint8Array;
  /** The object as it is, in the version of the endpoint. */
  readonly current: Readonly<JsonRecord>;
  readonly expected: ExpectedKind;
  readonly isCustom: boolean;
  readonly fieldValidation: FieldStrictness;
  /** Reads the result as its kind beyond decoding it: what it complains of counts like what the patch itself has too much. */
  readonly complete?: (object: JsonRecord) => { readonly object: JsonRecord; readonly complaints: readonly string[] };
}

/** What came of a patch. */
export interface PatchedObject {
  readonly object: JsonRecord;
  readonly warnings: readonly string[];
  /** Where an empty map or list was left, which leaves no trace in the object. */
  readonly emptied: readonly string[];
}

/**
 * Applies a patch to an object and reads the result as the endpoint's kind; nothing that was passed in is changed.
 *
 * Throws a `StatusError` with the answer of the real server: 400 for what is no patch, 422 for what cannot be applied or
 * makes no object of the kind, 413 for too many operations.
 */
export function patchObject(request: PatchRequest): PatchedObject {
  try {
    return request.type === "application/strategic-merge-patch+json"
      ? patchStrategically(request)
      : patchAsJson(request);
  } catch (error) {
    if (error instanceof ServerPatchError) throw new StatusError(statusOf(error), { cause: error });
    throw error;
  }
}

function statusOf({ trouble, message }: ServerPatchError): ServerStatus {
  switch (trouble) {
    case "malformed":
      return badRequestStatus(message);
    case "unprocessable":
      return unprocessableStatus();
    case "too-large":
      return tooLargeStatus(message);
    case "unknown":
      return unknownErrorStatus(message);
  }
}

function patchAsJson(request: PatchRequest): PatchedObject {
  const { type, body, current, fieldValidation } = request;
  const isLenient = fieldValidation === "Ignore";
  const text = readUtf8(body);
  let patched: unknown;
  let complaints: readonly string[];
  if (type === "application/json-patch+json") {
    complaints = isLenient ? [] : operationComplaints(text);
    patched = applyServerJsonPatch(current, text);
  } else {
    const read = readMergePatch(text, isLenient);
    complaints = read.duplicates;
    patched = isRecord(read.value) ? applyServerMergePatch(current, read.value) : read.value;
  }
  const shown = once(() => encodeJson(patched));
  // A merge of values that were read is what would be read again: nobody can have put anything else into it.
  const merged = type === "application/merge-patch+json" && request.isCustom && isRecord(patched) ? patched : undefined;
  return readPatched(request, { text: shown, merged }, complaints);
}

const text: GoType = { sort: "string", name: "string" };

/** The operations as the strict reader of the real server sees them. */
const operationType: GoType = {
  sort: "struct",
  name: "handlers.jsonPatchOp",
  ...layout(["op", text], ["path", text], ["from", text], ["value", { sort: "any", name: "interface {}" }]),
};

function layout(
  ...fields: [string, GoType][]
): Pick<GoType & { sort: "struct" }, "members" | "byName" | "wire" | "byNumber"> {
  const members = fields.map(([name, type], index) => {
    return { name, type, index, omitEmpty: false, omitZero: false, embedded: [], patchStrategy: "", patchMergeKey: "" };
  });
  return { members, byName: new Map(members.map((each) => [each.name, each])), wire: [], byNumber: new Map() };
}

function operationComplaints(text: string): string[] {
  try {
    const { complaints } = decodeAs({ sort: "list", name: "[]handlers.jsonPatchOp", element: operationType }, text);
    return complaints.map((each) => `json patch ${each}`);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(badRequestStatus(`error decoding patch: ${error.message}`), { cause: error });
  }
}

function readMergePatch(text: string, isLenient: boolean): ReadJson {
  let read: ReadJson;
  try {
    read = readJson(text);
    if (!isLenient && read.value !== null && !isRecord(read.value)) throw notAMap(read.value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const message = isLenient ? "Invalid JSON Patch" : `error decoding patch: ${error.message}`;
    throw new StatusError(badRequestStatus(message), { cause: error });
  }
  if (read.value === null) throw new StatusError(badRequestStatus("Invalid JSON Patch"));
  return isLenient ? { value: read.value, duplicates: [] } : read;
}

function notAMap(value: unknown): DecodeError {
  const name = Array.isArray(value)
    ? "array"
    : typeof value === "boolean"
      ? "bool"
      : typeof value === "string"
        ? "string"
        : "number";
  return new DecodeError(`json: cannot unmarshal ${name} into Go value of type map[string]interface {}`);
}

/** A patched object that has not been read as its kind. */
interface Unread {
  /** Its JSON, made when somebody needs it. */
  readonly text: () => string;
  /** The value, where the text would say just the same. */
  readonly merged: JsonRecord | undefined;
}

/** Reads a patched object again: the patch may have made something else of it. */
function readPatched(request: PatchRequest, unread: Unread, patchComplaints: readonly string[]): PatchedObject {
  const { expected, isCustom, fieldValidation } = request;
  const { text } = unread;
  try {
    const read = isCustom ? readCustom(unread) : decodeRequestObject(text(), expected);
    const { object, complaints } = request.complete?.(read.object) ?? { object: read.object, complaints: [] };
    const all = fieldValidation === "Ignore" ? [] : [...read.complaints, ...complaints];
    return { ...settle(object, [...patchComplaints, ...all], fieldValidation, text), emptied: read.emptied };
  } catch (error) {
    const cause = error instanceof StatusError ? error.cause : error;
    if (!(cause instanceof DecodeError)) throw error;
    throw new StatusError(invalidPatch(text(), cause.message), { cause });
  }
}

function readCustom({ text, merged }: Unread): Pick<RequestObject, "object" | "complaints" | "emptied"> {
  const value = merged ?? valueOf(text());
  if (!saysKind(value)) {
    const { kind } = interpretKind(text());
    if (kind === "") throw new DecodeError(`Object 'Kind' is missing in '${text()}'`);
  }
  return { object: isRecord(value) ? value : {}, complaints: [], emptied: [] };
}

/** What is no JSON is found when its kind is looked for, and told so. */
function valueOf(text: string): unknown {
  try {
    return readJson(text).value;
  } catch (error) {
    if (error instanceof DecodeError) interpretKind(text);
    throw error;
  }
}

/** Whether an object says its kind in the plain way, so that nothing is left to interpret. */
function saysKind(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, apiVersion } = value;
  if (typeof kind !== "string" || kind === "" || typeof apiVersion !== "string") return false;
  const isOther = (key: string): boolean => key !== "kind" && key !== "apiVersion" && isHeadName(key);
  return apiVersion.split("/").length <= 2 && !Object.keys(value).some(isOther);
}

/** Whether a key counts as one of the two that say the kind, which it does in any case. */
function isHeadName(key: string): boolean {
  const small = key.length <= 10 ? key.toLowerCase() : key;
  return small === "kind" || small === "apiversion";
}

/** Turns complaints into warnings, or into a refusal that shows `value`. */
function settle(
  object: JsonRecord,
  complaints: readonly string[],
  fieldValidation: FieldStrictness,
  value: () => string,
): Omit<PatchedObject, "emptied"> {
  if (complaints.length === 0 || fieldValidation !== "Strict") return { object, warnings: complaints };
  throw new StatusError(invalidPatch(value(), strictText(complaints)));
}

function invalidPatch(value: string, detail: string): ServerStatus {
  const problem: Problem = {
    path: "patch",
    type: "Invalid",
    detail,
    value,
    message: `Invalid value: ${quote(value)}: ${detail}`,
  };
  return invalidStatus({ group: "", kind: "" }, "", [problem]);
}

function patchStrategically(request: PatchRequest): PatchedObject {
  const { body, current, expected, isCustom, fieldValidation } = request;
  if (isCustom) throw new StatusError(badRequestStatus("strategic merge patch format is not supported"));
  const type = typeOfKind(expected);
  let read: ReadJson;
  try {
    read = readJson(body);
    if (read.value !== null && !isRecord(read.value)) throw notAMap(read.value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(badRequestStatus(error.message), { cause: error });
  }
  const patch = isRecord(read.value) ? read.value : {};
  const merged = applyStrategicPatch(type, current, patch);
  const shown = printGo(patch);
  try {
    const { object, complaints, emptied } = convertTyped(type, merged);
    const completed = request.complete?.(object) ?? { object, complaints: [] };
    const all = fieldValidation === "Ignore" ? [] : [...read.duplicates, ...complaints, ...completed.complaints];
    return { ...settle(completed.object, all, fieldValidation, () => shown), emptied };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(invalidPatch(shown, error.message), { cause: error });
  }
}

/** The body of a server-side apply: the fields that the sender wants, and what to warn of. */
export interface ApplyBody {
  readonly object: JsonRecord;
  readonly warnings: readonly string[];
}

/** Reads the body of a server-side apply, YAML or JSON. Throws a `StatusError` (400) when it is neither. */
export function readApplyBody(body: Uint8Array, fieldValidation: FieldStrictness): ApplyBody {
  try {
    const { value, duplicates } = readYaml(readUtf8(body));
    if (value !== null && !isRecord(value)) throw notAMap(value);
    const object = isRecord(value) ? value : {};
    if (duplicates.length === 0 || fieldValidation === "Ignore") return { object, warnings: [] };
    if (fieldValidation !== "Strict") return { object, warnings: duplicates };
    const list = duplicates.map((each) => `  ${each}`).join("\n");
    const words = `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${list}`;
    throw new StatusError(badRequestStatus(words));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const prefix = error.message.startsWith("yaml:")
      ? "error converting YAML to JSON: "
      : "error unmarshaling JSON: while decoding JSON: ";
    throw new StatusError(badRequestStatus(`error decoding YAML: ${prefix}${error.message}`), { cause: error });
  }
}
