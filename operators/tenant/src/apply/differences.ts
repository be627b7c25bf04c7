import { isEqual, isList, isQuantity, isRecord, type JsonRecord, ownValue, quantityFromJSON } from "@homeostat/core";
import type { FieldStep } from "@homeostat/runtime";

/** A field that is not as it is wanted, as steps from the object. Values are left out: they may be secret. */
export type Difference = readonly FieldStep[];

/** By which of their fields the elements of lists are told apart that the API server merges. Everything else is replaced whole. */
const keysOfLists: Readonly<Record<string, readonly string[]>> = {
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

/** Cannot be changed once they are there, and the server fills much in. */
const fixedLists: ReadonlySet<string> = new Set(["volumeClaimTemplates"]);

/** Maps that belong to whoever sets them as a whole: one more entry is another meaning. */
const wholeMaps: ReadonlySet<string> = new Set([
  "selector",
  "podSelector",
  "namespaceSelector",
  "labelSelector",
  "nodeSelector",
]);

/** Fields whose values are quantities, and maps of them. */
const quantityMaps: ReadonlySet<string> = new Set(["requests", "limits", "hard", "default", "defaultRequest"]);
const quantities: ReadonlySet<string> = new Set(["sizeLimit"]);

/** Maps of plain texts, in which nothing is more than it seems. */
const textMaps: ReadonlySet<string> = new Set(["annotations", "labels", "matchLabels", "data", "nodeSelector"]);

/** No more than so many are worth naming. */
const differencesMax = 20;

/**
 * Where an object is not as it is wanted: every leaf of what is wanted must be there, quantities by their value.
 *
 * What others have added is theirs: fields that are not wanted, elements of lists that the server merges by a key. Lists and maps
 * that it replaces whole must be equal.
 */
export function differences(wanted: object, live: object): readonly Difference[] {
  const found: Difference[] = [];
  visitRecord(entriesOf(wanted), entriesOf(live), [], found);
  return found;
}

function entriesOf(value: object): JsonRecord {
  return isRecord(value) ? value : {};
}

function visitRecord(wanted: JsonRecord, live: JsonRecord, steps: Difference, found: Difference[]): void {
  for (const key of Object.keys(wanted)) {
    const value = ownValue(wanted, key);
    if (value !== undefined) visit(value, ownValue(live, key), [...steps, key], found);
  }
}

function visit(wanted: unknown, live: unknown, steps: Difference, found: Difference[]): void {
  if (found.length >= differencesMax) return;
  // The server leaves out what is empty.
  if (isEmpty(wanted) && (live === undefined || isEmpty(live))) return;
  const name = lastName(steps);
  if (isRecord(wanted) && isRecord(live) && Object.keys(wanted).length > 0 && !wholeMaps.has(name)) {
    visitRecord(wanted, live, steps, found);
    return;
  }
  if (isList(wanted) && isList(live)) {
    visitList({ wanted, live, steps, found, name });
    return;
  }
  if (!isSame(wanted, live, steps)) found.push(steps);
}

interface Lists {
  readonly wanted: readonly unknown[];
  readonly live: readonly unknown[];
  readonly steps: Difference;
  readonly found: Difference[];
  readonly name: string;
}

function visitList({ wanted, live, steps, found, name }: Lists): void {
  if (fixedLists.has(name)) return;
  const key = keysFor(name).find((each) => wanted.length > 0 && wanted.every((element) => keyIn(element, each)));
  if (key === undefined) {
    // What the server fills in cannot be told from what somebody has added: of lists that are replaced whole, builders say all.
    if (!isWholeSame(wanted, live)) found.push(steps);
    return;
  }
  for (const element of wanted) {
    const value = keyIn(element, key);
    const other = live.find((candidate) => keyIn(candidate, key) === value && hasSameProtocol(element, candidate));
    const step = { key, value: value ?? "" };
    if (other === undefined) found.push([...steps, step]);
    else visit(element, other, [...steps, step], found);
  }
}

function keysFor(name: string): readonly string[] {
  return Object.hasOwn(keysOfLists, name) ? (keysOfLists[name] ?? []) : [];
}

function keyIn(element: unknown, key: string): string | undefined {
  const value = isRecord(element) ? ownValue(element, key) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Ports are told apart by their protocol, too. */
function hasSameProtocol(wanted: unknown, live: unknown): boolean {
  const protocol = keyIn(wanted, "protocol");
  return protocol === undefined || (keyIn(live, "protocol") ?? "TCP") === protocol;
}

/** Whether two elements of a list that is replaced whole are the same, with quantities by their value. */
function isWholeSame(wanted: unknown, live: unknown): boolean {
  if (isRecord(wanted) && isRecord(live)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(live)]);
    return [...names].every((name) => {
      const [left, right] = [ownValue(wanted, name), ownValue(live, name)];
      if ((left === undefined || isEmpty(left)) && (right === undefined || isEmpty(right))) {
        // An empty selector selects everything, and none selects nothing.
        return wholeMaps.has(name) ? (left === undefined) === (right === undefined) : true;
      }
      if (quantityMaps.has(name) && isRecord(left) && isRecord(right)) return hasSameQuantities(left, right);
      return isWholeSame(left, right);
    });
  }
  if (isList(wanted) && isList(live)) {
    return wanted.length === live.length && wanted.every((each, index) => isWholeSame(each, live[index]));
  }
  return isEqual(wanted, live);
}

function hasSameQuantities(wanted: JsonRecord, live: JsonRecord): boolean {
  const names = new Set([...Object.keys(wanted), ...Object.keys(live)]);
  return [...names].every((name) => isSameQuantity(ownValue(wanted, name), ownValue(live, name)));
}

function isSame(wanted: unknown, live: unknown, steps: Difference): boolean {
  if (isEqual(wanted, live)) return true;
  return isQuantityField(steps) && isSameQuantity(wanted, live);
}

/** Whether a field has a quantity, judged by its name and that of the map it is in. */
function isQuantityField(steps: Difference): boolean {
  const parent = lastName(steps.slice(0, -1));
  if (textMaps.has(parent)) return false;
  return quantityMaps.has(parent) || quantities.has(lastName(steps));
}

function isSameQuantity(wanted: unknown, live: unknown): boolean {
  if (!isAmount(wanted) || !isAmount(live)) return false;
  return quantityFromJSON(wanted).equals(quantityFromJSON(live));
}

function isAmount(value: unknown): value is string | number {
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && isQuantity(value);
}

function isEmpty(value: unknown): boolean {
  if (isList(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function lastName(steps: Difference): string {
  const last = steps.at(-1);
  return typeof last === "string" ? last : "";
}
