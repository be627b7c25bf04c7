import { type DeepReadonly, isList, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";
import { type FieldStep, valueOf } from "./changed-fields.ts";

/** Whose name to look for, and whose not. */
export interface ManagersQuery {
  /** The fields, as steps from the object. */
  readonly fields: readonly (readonly FieldStep[])[];
  /** The one who asks. */
  readonly except: string;
  /** Only changes through this path: `"status"`, or `""` for the object itself. Default: any. */
  readonly subresource?: string;
}

type Entry = NonNullable<DeepReadonly<KubeObject>["metadata"]["managedFields"]>[number];

const managersMax = 8;

/**
 * Who, other than the one who asks, has set fields of an object, by the record the server keeps in `managedFields`.
 *
 * A field that was taken away has no owner; then it is whoever wrote last. Nobody when the object comes without the record.
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

/** Whether a manager's fields have one, or something within it. */
function owns(fieldsV1: unknown, object: unknown, steps: readonly FieldStep[]): boolean {
  let fields: unknown = fieldsV1;
  let value: unknown = object;
  for (const step of steps) {
    if (!isRecord(fields)) return false;
    // What has no fields within is owned as a whole.
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

/** The record of an element, which the server writes under the keys of the list: `k:{"name":"web"}`. */
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
  // Of an element that is not there any more, only the one key is known.
  const known = element ?? ("key" in step ? { [step.key]: step.value } : {});
  return Object.keys(keys).every((key) => valueOf(known, key) === valueOf(keys, key));
}

function byTime({ time: a = "" }: Entry, { time: b = "" }: Entry): number {
  return a < b ? -1 : Number(a > b);
}
