import { deepClone } from "../value/clone.ts";
import { isEqual } from "../value/equality.ts";
import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";
import { PatchError, type PatchFailureReason } from "./patch-error.ts";
import { formatPointer, isIndex } from "./pointer.ts";
import { jsonSize } from "./json-size.ts";

/** The cost limit of applying one patch; one unit is about a nanosecond. Reasonable patches need less than a hundredth of it. */
const workMax = 100_000_000;
const unitsPerKey = 100;

type Container = unknown[] | JsonRecord;

/**
 * A document that is being patched. Reads see the changes so far; the original is not changed.
 *
 * Copy-on-write: an object or list is copied the first time something in it changes, and then written in place, so the cost depends on
 * what the patch touches. Thousands of insertions into a long list would still take long; a cost limit prevents that.
 */
export class Draft {
  #document: unknown;
  /** Copies that were made here and can be written in place. Each is mapped to itself. */
  readonly #owned = new Map<object, Container>();
  #copiedBytesLeft: number;
  #workLeft = workMax;

  constructor(document: unknown, { copiedBytesMax }: { copiedBytesMax: number }) {
    this.#document = document;
    this.#copiedBytesLeft = copiedBytesMax;
  }

  get document(): unknown {
    return this.#document;
  }

  add(path: readonly string[], value: unknown): void {
    const step = path.at(-1);
    if (step === undefined) {
      this.#document = value;
      return;
    }
    const parent = this.#open(path.slice(0, -1));
    if (!isWritableList(parent)) return safeSet(parent, step, value);
    const index = step === "-" ? parent.length : indexIn(parent.length + 1, step);
    this.#spend(parent.length - index);
    parent.splice(index, 0, value);
  }

  /** Removes the value at a path and returns it. */
  remove(path: readonly string[]): unknown {
    const step = path.at(-1);
    if (step === undefined) throw refusal("malformed", "the whole document cannot be removed");
    const parent = this.#open(path.slice(0, -1));
    if (isWritableList(parent)) {
      const index = indexIn(parent.length, step);
      this.#spend(parent.length - index);
      return parent.splice(index, 1)[0];
    }
    const value = memberOf(parent, step);
    delete parent[step];
    return value;
  }

  replace(path: readonly string[], value: unknown): void {
    const step = path.at(-1);
    if (step === undefined) {
      this.#document = value;
      return;
    }
    const parent = this.#open(path.slice(0, -1));
    memberOf(parent, step);
    write(parent, step, value);
  }

  move(from: readonly string[], path: readonly string[]): void {
    if (path.length >= from.length && from.every((step, i) => step === path[i])) {
      if (path.length > from.length) throw refusal("malformed", "a value cannot be moved into itself");
      this.#read(from);
      return;
    }
    this.add(path, this.remove(from));
  }

  copy(from: readonly string[], path: readonly string[]): void {
    const value = this.#read(from);
    this.#copiedBytesLeft -= jsonSize(value, this.#copiedBytesLeft);
    if (this.#copiedBytesLeft < 0) throw refusal("too-large", "its copy operations copy too many bytes");
    // A deep copy: an object at two paths could no longer be written in place.
    this.add(path, deepClone(value));
  }

  test(path: readonly string[], value: unknown): void {
    const found = this.#read(path);
    this.#spendOnComparison(found, value);
    if (!isEqual(found, value)) throw refusal("test-failed", "the value differs");
  }

  #read(path: readonly string[]): unknown {
    let value = this.#document;
    for (const [i, step] of path.entries()) value = memberOf(containerAt(value, path, i), step);
    return value;
  }

  /** Returns the object or list at a path, after making it and its ancestors writable. */
  #open(path: readonly string[]): Container {
    const root = containerAt(this.#document, path, 0);
    let current = this.#own(root);
    this.#document = current;
    for (const [i, step] of path.entries()) {
      const child = containerAt(memberOf(current, step), path, i + 1);
      const owned = this.#own(child);
      if (owned !== child) write(current, step, owned);
      current = owned;
    }
    return current;
  }

  #own(container: readonly unknown[] | JsonRecord): Container {
    const owned = this.#owned.get(container);
    if (owned !== undefined) return owned;
    const copy = isList(container) ? container.slice() : { ...container };
    this.#spend(isList(copy) ? copy.length : Object.keys(copy).length * unitsPerKey);
    this.#owned.set(copy, copy);
    return copy;
  }

  /** Accounts for a comparison, which lists the keys of every compared object of the document, even if the expected value is small. */
  #spendOnComparison(found: unknown, expected: unknown): void {
    const pairs: unknown[] = [found, expected];
    while (pairs.length > 0) {
      const right = pairs.pop();
      const left = pairs.pop();
      if (isList(left) && isList(right) && left.length === right.length) {
        for (const [i, element] of right.entries()) if (typeof element === "object") pairs.push(left[i], element);
      } else if (isRecord(left) && isRecord(right)) {
        this.#spend(Object.keys(left).length * unitsPerKey);
        for (const key of Object.keys(right)) {
          if (typeof right[key] === "object") pairs.push(ownValue(left, key), right[key]);
        }
      }
    }
  }

  #spend(units: number): void {
    this.#workLeft -= units;
    if (this.#workLeft < 0) throw refusal("too-large", "applying it is too expensive");
  }
}

function containerAt(value: unknown, path: readonly string[], length: number): readonly unknown[] | JsonRecord {
  if (isList(value) || isRecord(value)) return value;
  throw refusal("missing", "there is no object or list at this path", formatPointer(path.slice(0, length)));
}

function isWritableList(container: Container): container is unknown[] {
  return Array.isArray(container);
}

function memberOf(container: readonly unknown[] | JsonRecord, step: string): unknown {
  if (isList(container)) return container[indexIn(container.length, step)];
  if (!Object.hasOwn(container, step)) throw refusal("missing", "the path does not exist");
  return container[step];
}

function write(container: Container, step: string, value: unknown): void {
  if (isWritableList(container)) container[Number(step)] = value;
  else safeSet(container, step, value);
}

function indexIn(length: number, step: string): number {
  if (!isIndex(step)) throw refusal("missing", "an index of a list must be a number");
  const index = Number(step);
  if (index >= length) throw refusal("missing", `the list has no index ${index}`);
  return index;
}

function refusal(reason: PatchFailureReason, problem: string, path?: string): PatchError {
  return new PatchError({ reason, problem, path });
}
