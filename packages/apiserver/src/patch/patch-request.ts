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

/** Patch type, by its media type. */
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

/**
 * Returns the patch type of a `Content-Type` header. Throws a `StatusError` (415) if the endpoint does not support it.
 */
export function readPatchType(header: string, { isCustom }: { readonly isCustom: boolean }): PatchType {
  const at = header.indexOf(";");
  const type = at > 0 ? header.slice(0, at) : header;
  const supported = patchTypes.filter((each) => !isCustom || each !== "application/strategic-merge-patch+json");
  const found = supported.find((each) => each === type);
  if (found !== undefined) return found;
  throw new StatusError(isCustom ? unsupportedMediaTypeStatus(supported) : unknownPatchTypeStatus());
}

/** A patch other than a server-side apply, and the object it applies to. */
export interface PatchRequest {
  readonly type: Exclude<PatchType, "application/apply-patch+yaml">;
  readonly body: Uint8Array;
  /** Current object, in the version of the endpoint. */
  readonly current: Readonly<JsonRecord>;
  readonly expected: ExpectedKind;
  readonly isCustom: boolean;
  readonly fieldValidation: FieldStrictness;
  /**
   * Parses the result as its kind beyond decoding. Its strictErrors are treated like those about fields of the patch
   * itself.
   */
  readonly complete?: (object: JsonRecord) => { readonly object: JsonRecord; readonly strictErrors: readonly string[] };
}

/** Result of a patch. */
export interface PatchedObject {
  readonly object: JsonRecord;
  readonly warnings: readonly string[];
  /** Paths of maps and lists that became empty, which leaves no trace in the object. */
  readonly emptyPaths: readonly string[];
}

/**
 * Applies a patch to an object and parses the result as the endpoint's kind. Nothing that is passed in is changed.
 *
 * Throws a `StatusError` as kube-apiserver responds: 400 for a malformed patch, 422 for one that cannot be applied or
 * whose result is not a valid object of the kind, 413 for too many operations.
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

function statusOf({ failure, message }: ServerPatchError): ServerStatus {
  switch (failure) {
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
  let strictErrors: readonly string[];
  if (type === "application/json-patch+json") {
    strictErrors = isLenient ? [] : operationComplaints(text);
    patched = applyServerJsonPatch(current, text);
  } else {
    const read = readMergePatch(text, isLenient);
    strictErrors = read.duplicates;
    patched = isRecord(read.value) ? applyServerMergePatch(current, read.value) : read.value;
  }
  const printed = once(() => encodeJson(patched));
  // The merge of two parsed JSON values needs no second parse: encoding and parsing it would give the same value.
  const merged = type === "application/merge-patch+json" && request.isCustom && isRecord(patched) ? patched : undefined;
  return readPatched(request, { text: printed, merged }, strictErrors);
}

const text: GoType = { sort: "string", name: "string" };

/** Go type of operations, with which kube-apiserver decodes them strictly to find unknown fields. */
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
    const { strictErrors } = decodeAs({ sort: "list", name: "[]handlers.jsonPatchOp", element: operationType }, text);
    return strictErrors.map((each) => `json patch ${each}`);
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

/** A patched object that was not parsed as its kind yet. */
interface Unparsed {
  /** Its JSON, encoded on first use. */
  readonly text: () => string;
  /** The value, if parsing the text would give the same one. */
  readonly merged: JsonRecord | undefined;
}

/** Parses a patched object as its kind, because the patch may have made it invalid. */
function readPatched(request: PatchRequest, unparsed: Unparsed, patchComplaints: readonly string[]): PatchedObject {
  const { expected, isCustom, fieldValidation } = request;
  const { text } = unparsed;
  try {
    const read = isCustom ? readCustom(unparsed) : decodeRequestObject(text(), expected);
    const { object, strictErrors } = request.complete?.(read.object) ?? { object: read.object, strictErrors: [] };
    const all = fieldValidation === "Ignore" ? [] : [...read.strictErrors, ...strictErrors];
    return {
      ...applyFieldValidation(object, [...patchComplaints, ...all], fieldValidation, text),
      emptyPaths: read.emptyPaths,
    };
  } catch (error) {
    const cause = error instanceof StatusError ? error.cause : error;
    if (!(cause instanceof DecodeError)) throw error;
    throw new StatusError(invalidPatch(text(), cause.message), { cause });
  }
}

function readCustom({ text, merged }: Unparsed): Pick<RequestObject, "object" | "strictErrors" | "emptyPaths"> {
  const value = merged ?? valueOf(text());
  if (!hasPlainKind(value)) {
    const { kind } = interpretKind(text());
    if (kind === "") throw new DecodeError(`Object 'Kind' is missing in '${text()}'`);
  }
  return { object: isRecord(value) ? value : {}, strictErrors: [], emptyPaths: [] };
}

/** Parses JSON. Like kube-apiserver, reports invalid JSON with the error of the step that determines the kind. */
function valueOf(text: string): unknown {
  try {
    return readJson(text).value;
  } catch (error) {
    if (error instanceof DecodeError) interpretKind(text);
    throw error;
  }
}

/** Reports whether an object has a plain `kind` and `apiVersion`, so that no further interpretation is needed. */
function hasPlainKind(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, apiVersion } = value;
  if (typeof kind !== "string" || kind === "" || typeof apiVersion !== "string") return false;
  const isOther = (key: string): boolean => key !== "kind" && key !== "apiVersion" && isKindField(key);
  return apiVersion.split("/").length <= 2 && !Object.keys(value).some(isOther);
}

/** Reports whether a key is `kind` or `apiVersion` in any case, because Go's decoder ignores case. */
function isKindField(key: string): boolean {
  const lower = key.length <= 10 ? key.toLowerCase() : key;
  return lower === "kind" || lower === "apiversion";
}

/** Returns strictErrors as warnings, or throws a refusal that contains `value`, depending on the field validation. */
function applyFieldValidation(
  object: JsonRecord,
  strictErrors: readonly string[],
  fieldValidation: FieldStrictness,
  value: () => string,
): Omit<PatchedObject, "emptyPaths"> {
  if (strictErrors.length === 0 || fieldValidation !== "Strict") return { object, warnings: strictErrors };
  throw new StatusError(invalidPatch(value(), strictText(strictErrors)));
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
  const printed = printGo(patch);
  try {
    const { object, strictErrors, emptyPaths } = convertTyped(type, merged);
    const completed = request.complete?.(object) ?? { object, strictErrors: [] };
    const all = fieldValidation === "Ignore" ? [] : [...read.duplicates, ...strictErrors, ...completed.strictErrors];
    return { ...applyFieldValidation(completed.object, all, fieldValidation, () => printed), emptyPaths };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(invalidPatch(printed, error.message), { cause: error });
  }
}

/** Body of a server-side apply: the applied fields, and warnings. */
export interface ApplyBody {
  readonly object: JsonRecord;
  readonly warnings: readonly string[];
}

/** Parses the body of a server-side apply, YAML or JSON. Throws a `StatusError` (400) if it is neither. */
export function readApplyBody(body: Uint8Array, fieldValidation: FieldStrictness): ApplyBody {
  try {
    const { value, duplicates } = readYaml(readUtf8(body));
    if (value !== null && !isRecord(value)) throw notAMap(value);
    const object = isRecord(value) ? value : {};
    if (duplicates.length === 0 || fieldValidation === "Ignore") return { object, warnings: [] };
    if (fieldValidation !== "Strict") return { object, warnings: duplicates };
    const list = duplicates.map((each) => `  ${each}`).join("\n");
    const message = `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${list}`;
    throw new StatusError(badRequestStatus(message));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const prefix = error.message.startsWith("yaml:")
      ? "error converting YAML to JSON: "
      : "error unmarshaling JSON: while decoding JSON: ";
    throw new StatusError(badRequestStatus(`error decoding YAML: ${prefix}${error.message}`), { cause: error });
  }
}
