import {
  isEqual,
  isList,
  isQuantity,
  isRecord,
  type JsonRecord,
  ownValue,
  quantityFromJSON,
  safeSet,
} from "@homeostat/core";
import type { FieldStep } from "../writes/changed-fields.ts";

/** The path of a field whose live value differs from the desired one. It contains no values, because they may be secret. */
export type Difference = readonly FieldStep[];

/** Options of {@link differences}. */
export interface CompareOptions {
  /** Fields that are not compared, such as `spec.volumeClaimTemplates`. */
  readonly ignore?: readonly string[] | undefined;
}

/** Merge keys of the lists that the API server merges by key. Every other list is replaced as a whole. */
const mergeKeys: Readonly<Record<string, readonly string[]>> = {
  containers: ["name"],
  initContainers: ["name"],
  volumes: ["name"],
  env: ["name"],
  imagePullSecrets: ["name"],
  volumeMounts: ["mountPath"],
  ports: ["containerPort", "port"],
  ownerReferences: ["uid"],
  topologySpreadConstraints: ["topologyKey"],
};

/** Maps that are compared as a whole: one more entry changes what they select. */
const atomicMaps: ReadonlySet<string> = new Set([
  "selector",
  "podSelector",
  "namespaceSelector",
  "labelSelector",
  "nodeSelector",
]);

/** Maps whose values are quantities. */
const quantityMaps: ReadonlySet<string> = new Set(["requests", "limits", "hard", "default", "defaultRequest"]);
/** Fields that are quantities. */
const quantityFields: ReadonlySet<string> = new Set(["sizeLimit"]);

/** Maps of free text, in which a value that looks like a quantity is still text. */
const textMaps: ReadonlySet<string> = new Set(["annotations", "labels", "matchLabels", "data", "nodeSelector"]);

/** Maximum number of reported differences. */
const differencesMax = 20;

/**
 * Returns the fields in which a live object differs from the desired one. Every leaf of the desired object must be present with the same value.
 *
 * The rules are those of server-side apply: fields that are not desired belong to other field managers and are ignored, as are extra
 * elements of lists that are merged by key. Lists and selectors that are replaced as a whole must be equal. Quantities are compared
 * by value, and an absent field equals an empty map or list, because the API server omits these.
 */
export function differences(
  desired: object,
  live: object,
  { ignore = [] }: CompareOptions = {},
): readonly Difference[] {
  const walk = new Walk(ignore);
  walk.record(isRecord(desired) ? desired : {}, isRecord(live) ? live : {}, ignore.length === 0 ? undefined : "");
  return walk.found;
}

/** Formats the path of a difference up to its first list: `spec.ports`. */
export function pathOf(difference: Difference): string {
  return namesOf(difference).join(".");
}

/**
 * Returns the merge patch that gives the differing fields their desired values, with lists replaced as a whole.
 *
 * It is the fallback when server-side apply is rejected as invalid: apply keeps list elements of other managers, and these may be invalid together
 * with the desired ones. A Service whose port 6379 another client has changed to 6380 would end up with two ports of the same name.
 */
export function correctingPatch(desired: object, found: readonly Difference[]): JsonRecord {
  const patch: JsonRecord = {};
  for (const difference of found) {
    const names = namesOf(difference);
    const value = valueAt(desired, names);
    if (value !== undefined) setAt(patch, names, value);
  }
  return patch;
}

/**
 * One comparison of two objects.
 *
 * Most comparisons find nothing, and an operator at rest does little else, so they should leave little garbage: the path is one list that grows and
 * shrinks, and is copied only for a difference. Loops use indexes, because operators run without optimizing compilers, and then every step of an iterator
 * is an object.
 */
class Walk {
  readonly found: Difference[] = [];
  readonly #ignored: readonly string[];
  /** Path of the value that is compared now. */
  readonly #at: FieldStep[] = [];

  constructor(ignored: readonly string[]) {
    this.#ignored = ignored;
  }

  /** Compares two maps. `prefix` is their path in the form of {@link pathOf}; undefined if no ignored field is below it. */
  record(desired: JsonRecord, live: JsonRecord, prefix: string | undefined): void {
    const keys = Object.keys(desired);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] ?? "";
      const value = ownValue(desired, key);
      if (value === undefined || this.found.length >= differencesMax) continue;
      const path = prefix === undefined ? undefined : prefix === "" ? key : `${prefix}.${key}`;
      if (path !== undefined && this.#ignored.includes(path)) continue;
      this.#at.push(key);
      this.#value(value, ownValue(live, key), path !== undefined && this.#isAboveIgnored(path) ? path : undefined);
      this.#at.pop();
    }
  }

  #isAboveIgnored(path: string): boolean {
    return this.#ignored.some((one) => one.length > path.length && one[path.length] === "." && one.startsWith(path));
  }

  #value(desired: unknown, live: unknown, prefix: string | undefined): void {
    if (isEmpty(desired) && (live === undefined || isEmpty(live))) return;
    if (isRecord(desired) && isRecord(live) && !isEmpty(desired) && !atomicMaps.has(lastName(this.#at))) {
      this.record(desired, live, prefix);
    } else if (isList(desired) && isList(live)) {
      this.#list(desired, live);
    } else if (!isEqual(desired, live) && !(isQuantityField(this.#at) && isSameQuantity(desired, live))) {
      this.#add();
    }
  }

  /** Compares two lists. Their elements have the path of the list, so nothing below is ignored. */
  #list(desired: readonly unknown[], live: readonly unknown[]): void {
    const key = mergeKeyOf(lastName(this.#at), desired);
    if (key === undefined) {
      if (!isSameWhole(desired, live)) this.#add();
      return;
    }
    for (let index = 0; index < desired.length && this.found.length < differencesMax; index += 1) {
      const element = desired[index];
      const value = textIn(element, key);
      const other = live.find((one) => textIn(one, key) === value && hasSameProtocol(element, one));
      this.#at.push({ key, value: value ?? "" });
      if (other === undefined) this.#add();
      else this.#value(element, other, undefined);
      this.#at.pop();
    }
  }

  #add(): void {
    this.found.push([...this.#at]);
  }
}

function mergeKeyOf(name: string, desired: readonly unknown[]): string | undefined {
  const keys = Object.hasOwn(mergeKeys, name) ? (mergeKeys[name] ?? []) : [];
  return keys.find((key) => desired.length > 0 && desired.every((element) => textIn(element, key) !== undefined));
}

function textIn(element: unknown, key: string): string | undefined {
  const value = isRecord(element) ? ownValue(element, key) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The protocol is a second merge key of ports; the API server fills in TCP. */
function hasSameProtocol(desired: unknown, live: unknown): boolean {
  const protocol = textIn(desired, "protocol");
  return protocol === undefined || (textIn(live, "protocol") ?? "TCP") === protocol;
}

/** Reports whether two values that are replaced as a whole are the same. */
function isSameWhole(desired: unknown, live: unknown): boolean {
  if (isRecord(desired) && isRecord(live)) {
    return namesIn(desired, live).every((name) => {
      const [left, right] = [ownValue(desired, name), ownValue(live, name)];
      if ((left === undefined || isEmpty(left)) && (right === undefined || isEmpty(right))) {
        // An empty selector selects everything, an absent one nothing.
        return !atomicMaps.has(name) || (left === undefined) === (right === undefined);
      }
      if (quantityMaps.has(name) && isRecord(left) && isRecord(right)) {
        return namesIn(left, right).every((each) => isSameQuantity(ownValue(left, each), ownValue(right, each)));
      }
      return isSameWhole(left, right);
    });
  }
  if (isList(desired) && isList(live)) {
    return desired.length === live.length && desired.every((each, index) => isSameWhole(each, live[index]));
  }
  return isEqual(desired, live);
}

function namesIn(left: JsonRecord, right: JsonRecord): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])];
}

/** Reports whether a field is a quantity, according to its name and the name of the map that contains it. */
function isQuantityField(at: Difference): boolean {
  const above = at.at(-2);
  const parent = typeof above === "string" ? above : "";
  if (textMaps.has(parent)) return false;
  return quantityMaps.has(parent) || quantityFields.has(lastName(at));
}

function isSameQuantity(desired: unknown, live: unknown): boolean {
  return isAmount(desired) && isAmount(live) && quantityFromJSON(desired).equals(quantityFromJSON(live));
}

function isAmount(value: unknown): value is string | number {
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && isQuantity(value);
}

function isEmpty(value: unknown): boolean {
  if (isList(value)) return value.length === 0;
  if (!isRecord(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

function lastName(at: Difference): string {
  const last = at.at(-1);
  return typeof last === "string" ? last : "";
}

/** Returns the names of a path up to its first list. */
function namesOf(difference: Difference): readonly string[] {
  const names: string[] = [];
  for (const step of difference) {
    if (typeof step !== "string") break;
    names.push(step);
  }
  return names;
}

function valueAt(object: unknown, names: readonly string[]): unknown {
  let value = object;
  for (const name of names) value = isRecord(value) ? ownValue(value, name) : undefined;
  return value;
}

function setAt(target: JsonRecord, names: readonly string[], value: unknown): void {
  const [first, ...rest] = names;
  if (first === undefined) return;
  if (rest.length === 0) {
    safeSet(target, first, value);
    return;
  }
  const inner = ownValue(target, first);
  const next: JsonRecord = isRecord(inner) ? inner : {};
  if (next !== inner) safeSet(target, first, next);
  setAt(next, rest, value);
}
