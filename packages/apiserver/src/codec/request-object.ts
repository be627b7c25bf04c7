import type { JsonRecord } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { DecodeError } from "./decode-error.ts";
import { decodeTyped } from "./decode-typed.ts";
import { JsonReader } from "./json-reader.ts";
import { TypeMismatch } from "./type-mismatch.ts";
import { type StructType, typeTable } from "./type-table.ts";

/** The kind that an endpoint expects. */
export interface ExpectedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A decoded object and the kind that it declares. */
export interface RequestObject extends ExpectedKind {
  readonly object: JsonRecord;
  /** Strict decoding errors: `unknown field "spec.foo"`. */
  readonly strictErrors: readonly string[];
  /** Paths at which the input had an empty map or list, which the object omits. */
  readonly emptyPaths: readonly string[];
}

/** The source location at which kube-apiserver creates its scheme; its messages contain it. */
const schemeName = "pkg/runtime/scheme.go:111";

/** Thrown if a body declares its kind and has another error. */
export class KnownKindError extends DecodeError {
  readonly declared: ExpectedKind;

  constructor(declared: ExpectedKind, cause: DecodeError) {
    super(cause.message, { cause });
    this.declared = declared;
  }
}

/**
 * Decodes the JSON of a built-in object that was sent to an endpoint for `expected`.
 *
 * The object may omit its kind and version. If it declares another kind, it is decoded as that; the caller must
 * compare.
 *
 * @throws DecodeError in the words of the API server.
 */
export function decodeRequestObject(text: string, expected: ExpectedKind): RequestObject {
  const declared = withDefaults(interpretKind(text), expected);
  if (declared.kind === "") throw missingKind(declared, text);
  if (splitVersion(declared.apiVersion).version === "") {
    throw new KnownKindError(declared, new DecodeError(`Object 'apiVersion' is missing in '${text}'`));
  }
  const type = typeOfKind(declared);
  try {
    const { object, strictErrors, emptyPaths } = decodeTyped(type, text);
    const { kind: _, apiVersion: __, ...rest } = object;
    return {
      object: { kind: declared.kind, apiVersion: declared.apiVersion, ...rest },
      strictErrors,
      emptyPaths,
      ...declared,
    };
  } catch (error) {
    if (error instanceof DecodeError) throw new KnownKindError(declared, error);
    throw error;
  }
}

/** Returns the error for a body without a kind. */
export function missingKind(declared: ExpectedKind, text: string): KnownKindError {
  return new KnownKindError(declared, new DecodeError(`Object 'Kind' is missing in '${text}'`));
}

/**
 * Returns the type of a built-in kind.
 *
 * @throws KnownKindError if there is no such kind.
 */
export function typeOfKind(declared: ExpectedKind): StructType {
  const type = typeTable().kindType(declared.apiVersion, declared.kind);
  if (type !== undefined) return type;
  const version = `version ${quote(declared.apiVersion)} in scheme ${quote(schemeName)}`;
  throw new KnownKindError(declared, new DecodeError(`no kind ${quote(declared.kind)} is registered for ${version}`));
}

/** Fills in an omitted kind and version with those of the endpoint. */
export function withDefaults(declared: ExpectedKind, expected: ExpectedKind): ExpectedKind {
  const kind = declared.kind === "" ? expected.kind : declared.kind;
  const { group, version } = splitVersion(declared.apiVersion);
  const expectedParts = splitVersion(expected.apiVersion);
  if (version !== "" || (group !== "" && group !== expectedParts.group))
    return { kind, apiVersion: declared.apiVersion };
  return { kind, apiVersion: expected.apiVersion };
}

/** Splits an `apiVersion` as Go does: either part may be empty. */
function splitVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

const headType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Returns the kind that a JSON text declares; empty parts if it does not. The two keys are matched case-insensitively,
 * as in Go.
 *
 * @throws DecodeError if the text is not a JSON object, or declares something that cannot be a kind.
 */
export function interpretKind(text: string): ExpectedKind {
  try {
    const declared = readHead(text);
    if (declared.apiVersion.split("/").length <= 2) return declared;
    throw new VersionError(`unexpected GroupVersion string: ${declared.apiVersion}`);
  } catch (error) {
    if (error instanceof VersionError) throw error;
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`couldn't get version/kind; json parse error: ${error.message}`, { cause: error });
  }
}

class VersionError extends DecodeError {}

function readHead(text: string): ExpectedKind {
  const reader = new JsonReader(text);
  const declared = { apiVersion: "", kind: "" };
  const start = reader.start();
  let failure: TypeMismatch | undefined;
  if (start !== "object") {
    reader.skip();
    reader.end();
    if (start === "null") return declared;
    throw new TypeMismatch(start, headType, { struct: "", fields: [] });
  }
  reader.enter();
  for (let isFirst = true; ; isFirst = false) {
    const key = reader.nextKey(isFirst);
    if (key === undefined) break;
    const name = headNames.get(key.length <= 10 ? key.toLowerCase() : key);
    const valueStart = name === undefined ? "null" : reader.start();
    if (name === undefined || valueStart !== "string") {
      if (name !== undefined && valueStart !== "null") {
        failure ??= new TypeMismatch(valueStart, "string", { struct: "", fields: [name] });
      }
      reader.skip();
    } else declared[name] = reader.string();
  }
  reader.end();
  if (failure !== undefined) throw failure;
  return declared;
}

const headNames: ReadonlyMap<string, "apiVersion" | "kind"> = new Map([
  ["apiversion", "apiVersion"],
  ["kind", "kind"],
]);
