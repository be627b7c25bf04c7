// JSON Patch as a Kubernetes API server applies it. Its library (evanphx/json-patch) is more lenient than RFC 6902: it
// accepts negative indexes, `replace` of a missing key, and a missing `value`. The error texts are those of that
// library, which the server logs.

import { quote } from "@homeostat/cel";
import { deepClone, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { DecodeError } from "../codec/decode-error.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { compareBytes, readUtf8 } from "../codec/go-text.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { sortKeys } from "./sorted-keys.ts";
import { hasRawScalars, isSameText, readRawJson, withoutRawScalars } from "./raw-value.ts";

const operationsMax = 10_000;
const copiedBytesMax = 3 * 1024 * 1024;
/**
 * Total number of list elements that all operations may shift. Far above any real patch; limits the CPU time of a
 * malicious one.
 */
const movedElementsMax = 100_000_000;

/**
 * Applies a JSON Patch to a document and returns the result. The document is not changed.
 *
 * Throws a {@link ServerPatchError} if the patch is malformed, not applicable or too large.
 */
export function applyServerJsonPatch(document: unknown, patch: Uint8Array | string): unknown {
  const operations = readOperations(patch);
  if (operations.length > operationsMax) {
    const found = `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`;
    throw new ServerPatchError("too-large", found);
  }
  const patcher = new Patcher(deepClone(document));
  for (const operation of operations) patcher.apply(operation);
  patcher.sortOpened();
  return hasRawScalars(patcher.document) ? withoutRawScalars(patcher.document) : patcher.document;
}

function readOperations(patch: Uint8Array | string): JsonRecord[] {
  let value: unknown;
  try {
    value = readRawJson(typeof patch === "string" ? patch : readUtf8(patch));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new ServerPatchError("malformed", error.message, { cause: error });
  }
  if (value === null) return [];
  if (!isList(value)) throw mismatch(value, "jsonpatch.Patch");
  return value.map((each) => {
    if (each === null) return {};
    if (!isRecord(each) || typeOf(each) !== "object") throw mismatch(each, "jsonpatch.Operation");
    return each;
  });
}

function mismatch(value: unknown, type: string): ServerPatchError {
  return new ServerPatchError("malformed", `json: cannot unmarshal ${typeOf(value)} into Go value of type ${type}`);
}

function typeOf(value: unknown): string {
  const text = encodeJson(hasRawScalars(value) ? withoutRawScalars(value) : value);
  const [first = ""] = text;
  if (first === '"') return "string";
  if (first === "{") return "object";
  return first === "[" ? "array" : first === "t" || first === "f" ? "bool" : "number";
}

/** A JSON object or array. */
type Container = JsonRecord | unknown[];

class Patcher {
  document: unknown;
  #copiedBytes = 0;
  #movedElements = 0;
  /**
   * Objects that an operation has navigated through. Go parses only those into maps, which are printed with sorted
   * keys; the rest keeps its original text.
   */
  readonly #opened = new Set<JsonRecord>();

  constructor(document: unknown) {
    this.document = document;
  }

  /** Sorts the keys of opened objects, as the Go library prints them. */
  sortOpened(): void {
    for (const record of this.#opened) sortKeys(record);
    if (isContainer(this.document) && !isArray(this.document)) sortKeys(this.document);
  }

  apply(operation: JsonRecord): void {
    const op = stringIn(operation, "op") ?? "unknown";
    switch (op) {
      case "add":
        return this.#add(operation);
      case "remove":
        return this.#remove(operation);
      case "replace":
        return this.#replace(operation);
      case "move":
        return this.#move(operation);
      case "test":
        return this.#test(operation);
      case "copy":
        return this.#copy(operation);
      default:
        throw fail(`Unexpected kind: ${op}`);
    }
  }

  #add(operation: JsonRecord): void {
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail("add operation failed to decode path: missing value");
    const { container, key } = this.#find(path);
    if (container === undefined)
      throw fail(`add operation does not apply: doc is missing path: "${path}": missing value`);
    withContext(`error in add for path: '${path}'`, () => this.#put(container, key, valueIn(operation)));
  }

  #remove(operation: JsonRecord): void {
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail("remove operation failed to decode path: missing value");
    const { container, key } = this.#find(path);
    if (container === undefined) {
      throw fail(`remove operation does not apply: doc is missing path: "${path}": missing value`);
    }
    withContext(`error in remove for path: '${path}'`, () => this.#removeKey(container, key));
  }

  #replace(operation: JsonRecord): void {
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail(`replace operation failed to decode path: ${pathMistake(operation, "path")}`);
    if (path === "") {
      const value = valueIn(operation);
      if (!isContainer(value)) throw fail("replace operation value must be object or array: %!w(<nil>)");
      this.document = value;
      return;
    }
    const { container, key } = this.#find(path);
    if (container === undefined)
      throw fail(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    if (isArray(container)) {
      try {
        indexOf(key, container.length);
      } catch (error) {
        const why = `replace operation does not apply: doc is missing key: ${path}: missing value`;
        throw new ServerPatchError("unprocessable", why, { cause: error });
      }
      container[indexOf(key, container.length)] = valueIn(operation);
    } else safeSet(container, key, valueIn(operation));
  }

  #move(operation: JsonRecord): void {
    const from = stringIn(operation, "from");
    if (from === undefined) throw fail(`move operation failed to decode from: ${pathMistake(operation, "from")}`);
    const source = this.#find(from);
    if (source.container === undefined) {
      throw fail(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const { container, key } = source;
    const value = withContext(`error in move for path: '${key}'`, () => {
      const found = get(container, key);
      this.#removeKey(container, key);
      return found;
    });
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail(`move operation failed to decode path: ${pathMistake(operation, "path")}`);
    const target = this.#find(path);
    if (target.container === undefined) {
      throw fail(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    const into = target.container;
    withContext(`error in move for path: '${path}'`, () => this.#put(into, target.key, value));
  }

  #copy(operation: JsonRecord): void {
    const from = stringIn(operation, "from");
    if (from === undefined) throw fail(`copy operation failed to decode from: ${pathMistake(operation, "from")}`);
    const source = this.#find(from);
    if (source.container === undefined) {
      throw fail(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const { container, key } = source;
    const value = withContext(`error in copy for from: '${from}'`, () => get(container, key));
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail("copy operation failed to decode path: missing value");
    const target = this.#find(path);
    if (target.container === undefined) {
      throw fail(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    const plain = hasRawScalars(value) ? withoutRawScalars(value) : value;
    // The library copies the printed form, in which opened objects have sorted keys.
    const copied = this.#copyAsPrinted(value);
    this.#copiedBytes += value === undefined ? 0 : Buffer.byteLength(encodeJson(plain));
    if (this.#copiedBytes > copiedBytesMax) {
      const limits = `${this.#copiedBytes}, exceeding the limit ${copiedBytesMax}`;
      throw fail(`Unable to complete the copy, the accumulated size increase of copy is ${limits}`);
    }
    const into = target.container;
    withContext("error while adding value during copy", () => this.#put(into, target.key, copied));
  }

  #test(operation: JsonRecord): void {
    const path = stringIn(operation, "path");
    if (path === undefined) throw fail(`test operation failed to decode path: ${pathMistake(operation, "path")}`);
    const wanted = ownValue(operation, "value");
    const failed = `testing value ${path} failed: test failed`;
    if (path === "") {
      if (!isSameText(this.document, wanted)) throw fail(failed);
      this.#open(this.document);
      return;
    }
    const { container, key } = this.#find(path);
    if (container === undefined) throw fail(`test operation does not apply: is missing path: ${path}: missing value`);
    const value = withContext(`error in test for path: '${path}'`, () => get(container, key)) ?? null;
    if (!isSameText(value, wanted ?? null)) throw fail(failed);
    this.#open(value);
  }

  /** Marks a compared value as opened, down to its leaves. */
  #open(value: unknown): void {
    if (!isContainer(value)) return;
    if (!isArray(value)) this.#opened.add(value);
    for (const each of Object.values(value)) this.#open(each);
  }

  /** Returns a copy of a value as the Go library would print it now. */
  #copyAsPrinted(value: unknown): unknown {
    if (!isContainer(value)) return value;
    if (isArray(value)) return value.map((each) => this.#copyAsPrinted(each));
    const copy: JsonRecord = {};
    const keys = Object.keys(value);
    for (const key of this.#opened.has(value) ? keys.sort(compareBytes) : keys)
      safeSet(copy, key, this.#copyAsPrinted(value[key]));
    return copy;
  }

  /** Returns the container that a path leads to and the key in it; no container if the path does not exist. */
  #find(path: string): { container: Container | undefined; key: string } {
    const segments = path.split("/");
    const key = unescape(segments.pop() ?? "");
    if (segments.length === 0) return { container: undefined, key: "" };
    let container = isContainer(this.document) ? this.document : undefined;
    for (const step of segments.slice(1)) {
      if (container === undefined) break;
      const next = getOrUndefined(container, unescape(step));
      container = isContainer(next) ? next : undefined;
      if (container !== undefined && !isArray(container)) this.#opened.add(container);
    }
    return { container, key };
  }

  #put(container: Container, key: string, value: unknown): void {
    const stored = value === undefined ? null : value;
    if (!isArray(container)) return safeSet(container, key, stored);
    if (key === "-") {
      container.push(stored);
      return;
    }
    const at = indexOf(key, container.length + 1, `value was not a proper array index: '${key}': `);
    this.#countMoved(container.length - at);
    container.splice(at, 0, stored);
  }

  #removeKey(container: Container, key: string): void {
    if (isArray(container)) {
      const at = indexOf(key, container.length);
      this.#countMoved(container.length - at);
      container.splice(at, 1);
    } else if (Object.hasOwn(container, key)) delete container[key];
    else throw fail(`Unable to remove nonexistent key: ${key}: missing value`);
  }

  #countMoved(moved: number): void {
    this.#movedElements += moved;
    if (this.#movedElements > movedElementsMax)
      throw new ServerPatchError("too-large", "the operations move too many list elements");
  }
}

function get(container: Container, key: string): unknown {
  return isArray(container) ? container[indexOf(key, container.length)] : ownValue(container, key);
}

function getOrUndefined(container: Container, key: string): unknown {
  try {
    return get(container, key);
  } catch (error) {
    if (error instanceof ServerPatchError) return undefined;
    throw error;
  }
}

/** Returns the list index of a key. Negative ones count from the end. */
function indexOf(key: string, length: number, prefix: string = ""): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw fail(`${prefix}strconv.Atoi: parsing ${quote(key)}: invalid syntax`);
  const value = Number(key);
  if (!fitsInt(key)) throw fail(`${prefix}strconv.Atoi: parsing ${quote(key)}: value out of range`);
  const at = value < 0 ? value + length : value;
  if (at < 0 || at >= length)
    throw fail(`Unable to access invalid index: ${BigInt(key).toString()}: invalid index referenced`);
  return at;
}

function fitsInt(key: string): boolean {
  const digits = key.replace(/^[+-]?0*/, "");
  if (digits.length > 19) return false;
  const value = BigInt(digits === "" ? "0" : digits);
  return value <= (key.startsWith("-") ? 2n ** 63n : 2n ** 63n - 1n);
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
}

function isArray(container: Container): container is unknown[] {
  return Array.isArray(container);
}

function unescape(step: string): string {
  return step.includes("~") ? step.replace(/~[01]/g, (mark) => (mark === "~1" ? "/" : "~")) : step;
}

/** Returns a string field of an operation; undefined if it is missing or not a string. */
function stringIn(operation: JsonRecord, key: string): string | undefined {
  const value = ownValue(operation, key);
  const plain = hasRawScalars(value) ? withoutRawScalars(value) : value;
  return typeof plain === "string" ? plain : undefined;
}

function pathMistake(operation: JsonRecord, key: "path" | "from"): string {
  const value = ownValue(operation, key);
  if (value === undefined || value === null) {
    return key === "path"
      ? "operation missing path field: missing value"
      : "operation, missing from field: missing value";
  }
  return `json: cannot unmarshal ${typeOf(value)} into Go value of type string`;
}

function valueIn(operation: JsonRecord): unknown {
  return ownValue(operation, "value") ?? null;
}

function fail(message: string): ServerPatchError {
  return new ServerPatchError("unprocessable", message);
}

/** Runs a function and prefixes the message of its error. */
function withContext<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    throw new ServerPatchError(error.failure, `${context}: ${error.message}`, { cause: error });
  }
}
