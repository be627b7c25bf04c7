// JSON Patch in the dialect of a Kubernetes API server, which is wider than RFC 6902: indexes from the end, replacing what
// is not there, values that go without saying. Each text is what that server logs.

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
/** How many list elements all operations together may push along. No sensible patch moves a thousandth of it. */
const movedMax = 100_000_000;

/**
 * Applies the text of a JSON Patch to a document and returns the result; the document stays as it was.
 *
 * Throws a {@link ServerPatchError} that says what the patch is: malformed, not applicable, or too large.
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

/** What can hold values: the two kinds of JSON container. */
type Holder = JsonRecord | unknown[];

class Patcher {
  document: unknown;
  #copiedBytes = 0;
  #moved = 0;
  /** Every object on the way to something. */
  readonly #opened = new Set<JsonRecord>();

  constructor(document: unknown) {
    this.document = document;
  }

  /** Puts the keys of what was opened in order, as a Go program prints it. */
  sortOpened(): void {
    for (const record of this.#opened) sortKeys(record);
    if (isHolder(this.document) && !isOpenList(this.document)) sortKeys(this.document);
  }

  apply(operation: JsonRecord): void {
    const op = textIn(operation, "op") ?? "unknown";
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
    const path = textIn(operation, "path");
    if (path === undefined) throw fail("add operation failed to decode path: missing value");
    const { holder, key } = this.#find(path);
    if (holder === undefined) throw fail(`add operation does not apply: doc is missing path: "${path}": missing value`);
    within(`error in add for path: '${path}'`, () => this.#put(holder, key, valueIn(operation)));
  }

  #remove(operation: JsonRecord): void {
    const path = textIn(operation, "path");
    if (path === undefined) throw fail("remove operation failed to decode path: missing value");
    const { holder, key } = this.#find(path);
    if (holder === undefined) {
      throw fail(`remove operation does not apply: doc is missing path: "${path}": missing value`);
    }
    within(`error in remove for path: '${path}'`, () => this.#take(holder, key));
  }

  #replace(operation: JsonRecord): void {
    const path = textIn(operation, "path");
    if (path === undefined) throw fail(`replace operation failed to decode path: ${pathMistake(operation, "path")}`);
    if (path === "") {
      const value = valueIn(operation);
      if (!isHolder(value)) throw fail("replace operation value must be object or array: %!w(<nil>)");
      this.document = value;
      return;
    }
    const { holder, key } = this.#find(path);
    if (holder === undefined)
      throw fail(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    if (isOpenList(holder)) {
      try {
        indexOf(key, holder.length);
      } catch (error) {
        const why = `replace operation does not apply: doc is missing key: ${path}: missing value`;
        throw new ServerPatchError("unprocessable", why, { cause: error });
      }
      holder[indexOf(key, holder.length)] = valueIn(operation);
    } else safeSet(holder, key, valueIn(operation));
  }

  #move(operation: JsonRecord): void {
    const from = textIn(operation, "from");
    if (from === undefined) throw fail(`move operation failed to decode from: ${pathMistake(operation, "from")}`);
    const source = this.#find(from);
    if (source.holder === undefined) {
      throw fail(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const { holder, key } = source;
    const value = within(`error in move for path: '${key}'`, () => {
      const found = get(holder, key);
      this.#take(holder, key);
      return found;
    });
    const path = textIn(operation, "path");
    if (path === undefined) throw fail(`move operation failed to decode path: ${pathMistake(operation, "path")}`);
    const target = this.#find(path);
    if (target.holder === undefined) {
      throw fail(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    const into = target.holder;
    within(`error in move for path: '${path}'`, () => this.#put(into, target.key, value));
  }

  #copy(operation: JsonRecord): void {
    const from = textIn(operation, "from");
    if (from === undefined) throw fail(`copy operation failed to decode from: ${pathMistake(operation, "from")}`);
    const source = this.#find(from);
    if (source.holder === undefined) {
      throw fail(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const { holder, key } = source;
    const value = within(`error in copy for from: '${from}'`, () => get(holder, key));
    const path = textIn(operation, "path");
    if (path === undefined) throw fail("copy operation failed to decode path: missing value");
    const target = this.#find(path);
    if (target.holder === undefined) {
      throw fail(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    const plain = hasRawScalars(value) ? withoutRawScalars(value) : value;
    // What was opened is printed in order, and the copy is of what is printed.
    const copied = this.#printed(value);
    this.#copiedBytes += value === undefined ? 0 : Buffer.byteLength(encodeJson(plain));
    if (this.#copiedBytes > copiedBytesMax) {
      const limits = `${this.#copiedBytes}, exceeding the limit ${copiedBytesMax}`;
      throw fail(`Unable to complete the copy, the accumulated size increase of copy is ${limits}`);
    }
    const into = target.holder;
    within("error while adding value during copy", () => this.#put(into, target.key, copied));
  }

  #test(operation: JsonRecord): void {
    const path = textIn(operation, "path");
    if (path === undefined) throw fail(`test operation failed to decode path: ${pathMistake(operation, "path")}`);
    const wanted = ownValue(operation, "value");
    const failed = `testing value ${path} failed: test failed`;
    if (path === "") {
      if (!isSameText(this.document, wanted)) throw fail(failed);
      this.#open(this.document);
      return;
    }
    const { holder, key } = this.#find(path);
    if (holder === undefined) throw fail(`test operation does not apply: is missing path: ${path}: missing value`);
    const value = within(`error in test for path: '${path}'`, () => get(holder, key)) ?? null;
    if (!isSameText(value, wanted ?? null)) throw fail(failed);
    this.#open(value);
  }

  /** What was compared was opened, down to its leaves. */
  #open(value: unknown): void {
    if (!isHolder(value)) return;
    if (!isOpenList(value)) this.#opened.add(value);
    for (const each of Object.values(value)) this.#open(each);
  }

  /** A copy of a value as it would be printed now. */
  #printed(value: unknown): unknown {
    if (!isHolder(value)) return value;
    if (isOpenList(value)) return value.map((each) => this.#printed(each));
    const copy: JsonRecord = {};
    const keys = Object.keys(value);
    for (const key of this.#opened.has(value) ? keys.sort(compareBytes) : keys)
      safeSet(copy, key, this.#printed(value[key]));
    return copy;
  }

  /** The container that a path leads to, and the key in it; no container when there is no way. */
  #find(path: string): { holder: Holder | undefined; key: string } {
    const steps = path.split("/");
    const key = unescape(steps.pop() ?? "");
    if (steps.length === 0) return { holder: undefined, key: "" };
    let holder = isHolder(this.document) ? this.document : undefined;
    for (const step of steps.slice(1)) {
      if (holder === undefined) break;
      const next = getOrNothing(holder, unescape(step));
      holder = isHolder(next) ? next : undefined;
      if (holder !== undefined && !isOpenList(holder)) this.#opened.add(holder);
    }
    return { holder, key };
  }

  #put(holder: Holder, key: string, value: unknown): void {
    const stored = value === undefined ? null : value;
    if (!isOpenList(holder)) return safeSet(holder, key, stored);
    if (key === "-") {
      holder.push(stored);
      return;
    }
    const at = indexOf(key, holder.length + 1, `value was not a proper array index: '${key}': `);
    this.#spend(holder.length - at);
    holder.splice(at, 0, stored);
  }

  #take(holder: Holder, key: string): void {
    if (isOpenList(holder)) {
      const at = indexOf(key, holder.length);
      this.#spend(holder.length - at);
      holder.splice(at, 1);
    } else if (Object.hasOwn(holder, key)) delete holder[key];
    else throw fail(`Unable to remove nonexistent key: ${key}: missing value`);
  }

  #spend(moved: number): void {
    this.#moved += moved;
    if (this.#moved > movedMax) throw new ServerPatchError("too-large", "the operations move too many list elements");
  }
}

function get(holder: Holder, key: string): unknown {
  return isOpenList(holder) ? holder[indexOf(key, holder.length)] : ownValue(holder, key);
}

function getOrNothing(holder: Holder, key: string): unknown {
  try {
    return get(holder, key);
  } catch (error) {
    if (error instanceof ServerPatchError) return undefined;
    throw error;
  }
}

/** The place in a list that a key names; counted from the end when it is negative. */
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

function isHolder(value: unknown): value is Holder {
  return Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
}

function isOpenList(holder: Holder): holder is unknown[] {
  return Array.isArray(holder);
}

function unescape(step: string): string {
  return step.includes("~") ? step.replace(/~[01]/g, (mark) => (mark === "~1" ? "/" : "~")) : step;
}

/** A text of an operation, or undefined when it has none there. */
function textIn(operation: JsonRecord, key: string): string | undefined {
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

/** Runs one step; what goes wrong in it is told with these words before it. */
function within<T>(words: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    throw new ServerPatchError(error.trouble, `${words}: ${error.message}`, { cause: error });
  }
}
