import { type DeepReadonly, isList, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import { type FieldStep, valueOf } from "./changed-fields.ts";

/** Query of {@link otherManagers}. */
export interface ManagersQuery {
  /** Paths of the fields. */
  readonly fields: readonly (readonly FieldStep[])[];
  /** Own field manager, which is not returned. */
  readonly except: string;
  /** Subresource of the writes: `"status"`, or `""` for the object itself. Default: any. */
  readonly subresource?: string;
}

type Entry = NonNullable<DeepReadonly<KubeObject>["metadata"]["managedFields"]>[number];

const managersMax = 8;

/**
 * Returns the other field managers that have set fields of an object, according to its `managedFields`.
 *
 * A field that was removed has no manager; then the manager with the latest write is returned. Empty for an object without `managedFields`.
 */
export function otherManagers(
  object: DeepReadonly<KubeObject>,
  { fields, except, subresource }: ManagersQuery,
): readonly string[] {
  const entries = (object.metadata.managedFields ?? []).filter(
    ({ manager, subresource: part = "" }) =>
      manager !== undefined && manager !== except && (subresource === undefined || part === subresource),
  );
  const owners = entries.filter(({ fieldsV1 }) => fields.some((steps) => owns(fieldsV1, object, steps)));
  const found = owners.length > 0 ? owners : entries.toSorted(byTime).slice(-1);
  return [...new Set(found.map(({ manager = "" }) => manager))].slice(0, managersMax);
}

/** Reports whether a fieldsV1 set contains a field, or a field below it. */
function owns(fieldsV1: unknown, object: unknown, steps: readonly FieldStep[]): boolean {
  let fields: unknown = fieldsV1;
  let value: unknown = object;
  for (const step of steps) {
    if (!isRecord(fields)) return false;
    // An empty set means that the manager owns the whole value.
    if (Object.keys(fields).length === 0) return true;
    if (typeof step === "string") {
      fields = ownValue(fields, `f:${step}`);
      value = isRecord(value) ? ownValue(value, step) : undefined;
    } else {
      value = elementAt(value, step);
      fields = fieldsOfElement(fields, value, step);
    }
  }
  return fields !== undefined;
}

function elementAt(list: unknown, step: Exclude<FieldStep, string>): unknown {
  if (!isList(list)) return undefined;
  return "index" in step ? list[step.index] : list.find((element) => valueOf(element, step.key) === step.value);
}

/** Returns the fieldsV1 set of a list element, which is stored under its keys: `k:{"name":"web"}`. */
function fieldsOfElement(fields: JsonRecord, element: unknown, step: Exclude<FieldStep, string>): unknown {
  if ("index" in step && Object.hasOwn(fields, `i:${step.index}`)) return fields[`i:${step.index}`];
  const name = Object.keys(fields).find((key) => key.startsWith("k:") && isKeyOf(key.slice(2), element, step));
  return name === undefined ? undefined : fields[name];
}

function isKeyOf(text: string, element: unknown, step: Exclude<FieldStep, string>): boolean {
  let keys: unknown;
  try {
    keys = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isRecord(keys)) return false;
  // Of an element that was removed, only the key of the path is known.
  const known = element ?? ("key" in step ? { [step.key]: step.value } : {});
  return Object.keys(keys).every((key) => valueOf(known, key) === valueOf(keys, key));
}

function byTime({ time: a = "" }: Entry, { time: b = "" }: Entry): number {
  return a < b ? -1 : Number(a > b);
}
