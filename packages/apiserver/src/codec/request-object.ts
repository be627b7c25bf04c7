import type { JsonRecord } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { DecodeError } from "./decode-error.ts";
import { decodeTyped } from "./decode-typed.ts";
import { JsonReader } from "./json-reader.ts";
import { TypeMismatch } from "./type-mismatch.ts";
import { type StructType, typeTable } from "./type-table.ts";

/** The kind an endpoint expects. */
export interface ExpectedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object of a request that was read, and which kind it says it is of. */
export interface RequestObject extends ExpectedKind {
  readonly object: JsonRecord;
  /** What a strict reader complains of: `unknown field "spec.foo"`. */
  readonly complaints: readonly string[];
  /** Where an empty map or list was said, which leaves no trace in the object. */
  readonly emptied: readonly string[];
}

/** The place in its source at which the real server makes its list of kinds: its messages name it. */
const schemeName = "pkg/runtime/scheme.go:111";

/** Thrown when a body says of which kind it is, and is wrong in some other way. */
export class KnownKindError extends DecodeError {
  readonly said: ExpectedKind;

  constructor(said: ExpectedKind, cause: DecodeError) {
    super(cause.message, { cause });
    this.said = said;
  }
}

/**
 * Reads the JSON of a built-in object that was sent to an endpoint for `expected`.
 *
 * The object may leave out its kind and version; when it says another one it is read as that, and the caller finds out
 * by comparing. Throws a {@link DecodeError} with the server's own words.
 */
export function decodeRequestObject(text: string, expected: ExpectedKind): RequestObject {
  const said = withDefaults(interpretKind(text), expected);
  if (said.kind === "") throw missingKind(said, text);
  if (splitVersion(said.apiVersion).version === "") {
    throw new KnownKindError(said, new DecodeError(`Object 'apiVersion' is missing in '${text}'`));
  }
  const type = typeOfKind(said);
  try {
    const { object, complaints, emptied } = decodeTyped(type, text);
    const { kind: _, apiVersion: __, ...rest } = object;
    return { object: { kind: said.kind, apiVersion: said.apiVersion, ...rest }, complaints, emptied, ...said };
  } catch (error) {
    if (error instanceof DecodeError) throw new KnownKindError(said, error);
    throw error;
  }
}

/** What is said of a body that does not tell its kind. */
export function missingKind(said: ExpectedKind, text: string): KnownKindError {
  return new KnownKindError(said, new DecodeError(`Object 'Kind' is missing in '${text}'`));
}

/** The type of a built-in kind. Throws a {@link KnownKindError} when there is no such kind. */
export function typeOfKind(said: ExpectedKind): StructType {
  const type = typeTable().kindType(said.apiVersion, said.kind);
  if (type !== undefined) return type;
  const version = `version ${quote(said.apiVersion)} in scheme ${quote(schemeName)}`;
  throw new KnownKindError(said, new DecodeError(`no kind ${quote(said.kind)} is registered for ${version}`));
}

/** What is not said is what the endpoint is for. */
export function withDefaults(said: ExpectedKind, expected: ExpectedKind): ExpectedKind {
  const kind = said.kind === "" ? expected.kind : said.kind;
  const { group, version } = splitVersion(said.apiVersion);
  const wanted = splitVersion(expected.apiVersion);
  if (version !== "" || (group !== "" && group !== wanted.group)) return { kind, apiVersion: said.apiVersion };
  return { kind, apiVersion: expected.apiVersion };
}

/** The parts of an `apiVersion` as a Go program sees them: either may be empty. */
function splitVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

const headType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Which kind a JSON text says it is of; empty where it does not say. The two keys count in any case.
 *
 * Throws a {@link DecodeError} when the text is no JSON object, or says something that cannot be a kind.
 */
export function interpretKind(text: string): ExpectedKind {
  try {
    const said = readHead(text);
    if (said.apiVersion.split("/").length <= 2) return said;
    throw new VersionError(`unexpected GroupVersion string: ${said.apiVersion}`);
  } catch (error) {
    if (error instanceof VersionError) throw error;
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`couldn't get version/kind; json parse error: ${error.message}`, { cause: error });
  }
}

class VersionError extends DecodeError {}

function readHead(text: string): ExpectedKind {
  const reader = new JsonReader(text);
  const said = { apiVersion: "", kind: "" };
  const start = reader.start();
  let failure: TypeMismatch | undefined;
  if (start !== "object") {
    reader.skip();
    reader.end();
    if (start === "null") return said;
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
    } else said[name] = reader.string();
  }
  reader.end();
  if (failure !== undefined) throw failure;
  return said;
}

const headNames: ReadonlyMap<string, "apiVersion" | "kind"> = new Map([
  ["apiversion", "apiVersion"],
  ["kind", "kind"],
]);
