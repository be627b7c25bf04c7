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
  const walk = new Walk(new Set(ignore));
  walk.record(isRecord(desired) ? desired : {}, isRecord(live) ? live : {}, []);
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

/** One comparison of two objects. */
class Walk {
  readonly found: Difference[] = [];
  readonly #ignored: ReadonlySet<string>;

  constructor(ignored: ReadonlySet<string>) {
    this.#ignored = ignored;
  }

  record(desired: JsonRecord, live: JsonRecord, at: Difference): void {
    for (const key of Object.keys(desired)) {
      const value = ownValue(desired, key);
      if (value !== undefined) this.#value(value, ownValue(live, key), [...at, key]);
    }
  }

  #value(desired: unknown, live: unknown, at: Difference): void {
    if (this.found.length >= differencesMax || (this.#ignored.size > 0 && this.#ignored.has(pathOf(at)))) return;
    if (isEmpty(desired) && (live === undefined || isEmpty(live))) return;
    const name = lastName(at);
    if (isRecord(desired) && isRecord(live) && Object.keys(desired).length > 0 && !atomicMaps.has(name)) {
      this.record(desired, live, at);
    } else if (isList(desired) && isList(live)) {
      this.#list(desired, live, at);
    } else if (!isEqual(desired, live) && !(isQuantityField(at) && isSameQuantity(desired, live))) {
      this.found.push(at);
    }
  }

  #list(desired: readonly unknown[], live: readonly unknown[], at: Difference): void {
    const key = mergeKeyOf(lastName(at), desired);
    if (key === undefined) {
      if (!isSameWhole(desired, live)) this.found.push(at);
      return;
    }
    for (const element of desired) {
      const value = textIn(element, key);
      const other = live.find((one) => textIn(one, key) === value && hasSameProtocol(element, one));
      const step = { key, value: value ?? "" };
      if (other === undefined) this.found.push([...at, step]);
      else this.#value(element, other, [...at, step]);
    }
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
  const parent = lastName(at.slice(0, -1));
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
  return isRecord(value) && Object.keys(value).length === 0;
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
