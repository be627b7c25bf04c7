import { type DeepReadonly, isEqual, isRecord, type ManagedFieldsEntry, ownValue } from "@homeostat/core";

/** Field managers by field: the merged `managedFields` of an object. */
export interface FieldOwners {
  /** Managers that own this field itself. */
  readonly managers: readonly string[];
  /** Managers that own this field and everything below it. */
  readonly whole: readonly string[];
  /** Path elements of `fieldsV1`, such as `f:spec` or `k:{"name":"web"}`. */
  readonly children: ReadonlyMap<string, FieldOwners>;
}

/** Returns the field managers of the fields of an object. A manager of a subresource is named `manager (status)`. */
export function fieldOwners(entries: readonly DeepReadonly<ManagedFieldsEntry>[]): FieldOwners {
  const root = newOwners();
  for (const { manager = "unknown", subresource, fieldsV1 } of entries) {
    const name = subresource === undefined || subresource === "" ? manager : `${manager} (${subresource})`;
    if (fieldsV1 !== undefined) add(root, fieldsV1, name);
  }
  return root;
}

/** Returns the owners of a field of an object. A field below an owned whole has the owners of the whole. */
export function ownersOfField(owners: FieldOwners, name: string): FieldOwners {
  return below(owners, owners.children.get(`f:${name}`));
}

/** Returns the owners of an item of a list, which `fieldsV1` names by its keys, its value or its index. */
export function ownersOfItem(owners: FieldOwners, item: unknown, index: number): FieldOwners {
  const found = [...owners.children].find(([element]) => isElementOf(element, item, index));
  return below(owners, found?.[1]);
}

interface OwnersDraft extends FieldOwners {
  readonly managers: string[];
  readonly whole: string[];
  readonly children: Map<string, OwnersDraft>;
}

function newOwners(): OwnersDraft {
  return { managers: [], whole: [], children: new Map() };
}

function add(owners: OwnersDraft, fields: Readonly<Record<string, unknown>>, manager: string): void {
  for (const [element, value] of Object.entries(fields)) {
    if (element === ".") {
      owners.managers.push(manager);
      continue;
    }
    const child = owners.children.get(element) ?? newOwners();
    owners.children.set(element, child);
    if (isRecord(value) && Object.keys(value).length > 0) add(child, value, manager);
    else child.whole.push(manager);
  }
}

function below(parent: FieldOwners, child: FieldOwners | undefined): FieldOwners {
  if (parent.whole.length === 0) return child ?? newOwners();
  const { managers = [], whole = [], children = new Map<string, FieldOwners>() } = child ?? {};
  return { managers, whole: [...new Set([...whole, ...parent.whole])], children };
}

function isElementOf(element: string, item: unknown, index: number): boolean {
  const value = element.slice(2);
  if (element.startsWith("i:")) return value === String(index);
  if (!element.startsWith("k:") && !element.startsWith("v:")) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return false;
  }
  if (element.startsWith("v:")) return isEqual(parsed, item);
  return (
    isRecord(parsed) &&
    isRecord(item) &&
    Object.entries(parsed).every(([name, key]) => isEqual(ownValue(item, name) ?? defaultKeys[name], key))
  );
}

/** Keys that the API server adds to the name of a list item although the item may lack them. */
const defaultKeys: Readonly<Record<string, unknown>> = { protocol: "TCP" };
