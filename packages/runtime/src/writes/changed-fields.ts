import { applyMergePatch, isEqual, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";

/** One step on the way to a field: into a map, to an element by its key, or to one by its place. */
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
  /** At most so many. Default: 20. */
  readonly fieldsMax?: number;
  /** Look no deeper than this; what differs below is one field. Default: 32. */
  readonly depthMax?: number;
}

/** What the server changes with every write, whoever makes it. */
const serversOwn: ReadonlySet<string> = new Set(["resourceVersion", "generation", "managedFields"]);

/** By which of their fields the elements of a list are told apart, if each has it and no two the same. */
const elementKeys = ["name", "type", "uid", "key", "id", "ip", "mountPath", "containerPort", "port"] as const;

/**
 * The fields in which two states of an object differ, the first few of them, without what the server changes with every write.
 *
 * Paths are safe to show; the values may be secrets.
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
      if (steps.length === 1 && steps[0] === "metadata" && typeof step === "string" && serversOwn.has(step)) continue;
      visit(left, right, [...steps, step]);
    }
  };
  visit(before, after, []);
  return found;
}

/** The fields in which an object differs from what a merge patch makes of it; see {@link changedFields}. */
export function changedFieldsBy(before: object, patch: unknown): readonly ChangedField[] {
  if (!isRecord(patch) || !isRecord(before)) return changedFields(before, applyMergePatch(before, patch));
  // What the patch does not name is not looked at.
  const was: JsonRecord = {};
  for (const name of Object.keys(patch)) {
    if (Object.hasOwn(before, name)) safeSet(was, name, ownValue(before, name));
  }
  return changedFields(was, applyMergePatch(was, patch));
}

/** A path as people write it. A name with dots or brackets in it is quoted. */
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

/** Two values taken apart, where both can be in the same way. */
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

/** The field by which the elements of two lists are told apart, if there is one. */
export function elementKeyOf(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  return elementKeys.find((name) => areToldApartBy(a, name) && areToldApartBy(b, name));
}

function areToldApartBy(list: readonly unknown[], key: string): boolean {
  const values = new Set(list.map((element) => valueOf(element, key)));
  return values.size === list.length && !values.has(undefined);
}

/** The value of an element's key, as text. */
export function valueOf(element: unknown, key: string): string | undefined {
  const value = isRecord(element) ? ownValue(element, key) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
