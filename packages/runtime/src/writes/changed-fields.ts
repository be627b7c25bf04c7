import { applyMergePatch, isEqual, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";

/** One step of a field path: a key of a map, an element of a list by its key field, or an element by its index. */
export type FieldStep = string | { readonly key: string; readonly value: string } | { readonly index: number };

/** A field that differs between two states of an object. */
export interface ChangedField {
  /** `spec.template.spec.containers[name=web].image` */
  readonly path: string;
  readonly steps: readonly FieldStep[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Options of {@link changedFields}. */
export interface ChangedFieldsOptions {
  /** Maximum number of returned fields. Default: 20. */
  readonly fieldsMax?: number;
  /** Maximum depth of the comparison; a difference below it is one field. Default: 32. */
  readonly depthMax?: number;
}

/** Metadata that the server changes with every write. */
const serverSetFields: ReadonlySet<string> = new Set(["resourceVersion", "generation", "managedFields"]);

/** Fields that may identify the elements of a list, if every element has the field and all values are different. */
const elementKeys = ["name", "type", "uid", "key", "id", "ip", "mountPath", "containerPort", "port"] as const;

/**
 * Returns the first fields in which two states of an object differ, without the metadata that the server changes with every write.
 *
 * The paths may be logged; the values may be secret.
 */
export function changedFields(
  before: unknown,
  after: unknown,
  { fieldsMax = 20, depthMax = 32 }: ChangedFieldsOptions = {},
): readonly ChangedField[] {
  const found: ChangedField[] = [];
  const visit = (was: unknown, is: unknown, steps: readonly FieldStep[]): void => {
    if (found.length === fieldsMax || isEqual(was, is)) return;
    const parts = steps.length === depthMax ? undefined : partsOf(was, is);
    if (parts === undefined) {
      found.push({ path: formatSteps(steps), steps, before: was, after: is });
      return;
    }
    for (const [step, left, right] of parts) {
      if (steps.length === 1 && steps[0] === "metadata" && typeof step === "string" && serverSetFields.has(step))
        continue;
      visit(left, right, [...steps, step]);
    }
  };
  visit(before, after, []);
  return found;
}

/** Returns the fields that a merge patch would change in an object; see {@link changedFields}. */
export function changedFieldsBy(before: object, patch: unknown): readonly ChangedField[] {
  if (!isRecord(patch) || !isRecord(before)) return changedFields(before, applyMergePatch(before, patch));
  // Only the top-level fields that the patch names are compared.
  const was: JsonRecord = {};
  for (const name of Object.keys(patch)) {
    if (Object.hasOwn(before, name)) safeSet(was, name, ownValue(before, name));
  }
  return changedFields(was, applyMergePatch(was, patch));
}

/** Formats a path: `spec.containers[name=web].image`. Names with dots or brackets are quoted. */
export function formatSteps(steps: readonly FieldStep[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step !== "string") path += "index" in step ? `[${step.index}]` : `[${step.key}=${step.value}]`;
    else if (/^[\w$-]+$/.test(step)) path += path === "" ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}

type Part = readonly [step: FieldStep, before: unknown, after: unknown];

/** Returns the corresponding parts of two values; undefined if they are not both maps or both lists with comparable elements. */
function partsOf(was: unknown, is: unknown): readonly Part[] | undefined {
  if (isRecord(was) && isRecord(is)) return partsOfRecords(was, is);
  if (!isList(was) || !isList(is) || was.length === 0 || is.length === 0) return undefined;
  const key = elementKeyOf(was, is);
  if (key !== undefined) return partsByKey(was, is, key);
  if (was.length !== is.length || !was.every(isRecord) || !is.every(isRecord)) return undefined;
  return was.map((element, index) => [{ index }, element, is[index]]);
}

function partsOfRecords(was: JsonRecord, is: JsonRecord): readonly Part[] {
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].map((name) => [name, ownValue(was, name), ownValue(is, name)]);
}

function partsByKey(was: readonly unknown[], is: readonly unknown[], key: string): readonly Part[] {
  const before = new Map(was.map((element) => [valueOf(element, key), element]));
  const after = new Map(is.map((element) => [valueOf(element, key), element]));
  const values = new Set([...before.keys(), ...after.keys()]);
  return [...values].map((value) => [{ key, value: value ?? "" }, before.get(value), after.get(value)]);
}

/** Returns the field that identifies the elements of two lists; undefined if there is none. */
export function elementKeyOf(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  return elementKeys.find((name) => isUniqueKey(a, name) && isUniqueKey(b, name));
}

function isUniqueKey(list: readonly unknown[], key: string): boolean {
  const values = new Set(list.map((element) => valueOf(element, key)));
  return values.size === list.length && !values.has(undefined);
}

/** Returns the value of a key field of a list element as text; undefined if it is missing or not a scalar. */
export function valueOf(element: unknown, key: string): string | undefined {
  const value = isRecord(element) ? ownValue(element, key) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
