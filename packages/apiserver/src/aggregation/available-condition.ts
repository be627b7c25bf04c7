import { type Clock, formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { whileWritable } from "../own-objects/while-writable.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import type { Store } from "../storage/store.ts";
import { listAt, textAt } from "../values/fields.ts";
import type { Availability } from "./availability.ts";

/** Reports whether the condition `Available` of an APIService has this content. */
export function hasCondition(apiService: JsonRecord, availability: Availability): boolean {
  return isSame(availableOf(listAt(apiService, "status", "conditions")), availability);
}

/** Writes the condition `Available` of the APIService with a key, unless it is up to date or the APIService was deleted. */
export function writeCondition(
  key: string,
  availability: Availability,
  { store, clock }: { readonly store: Store<JsonRecord>; readonly clock: Pick<Clock, "now"> },
): void {
  const entry = store.get(key);
  if (entry === undefined) return;
  const object = store.read(entry);
  const conditions = listAt(object, "status", "conditions");
  const current = availableOf(conditions);
  if (isSame(current, availability)) return;
  const { status, reason, message } = availability;
  const hasSameStatus = textAt(current, "status") === status;
  const time = formatTime(clock.now());
  const lastTransitionTime = hasSameStatus ? textAt(current, "lastTransitionTime") : time;
  const condition = { type: "Available", status, lastTransitionTime, reason, message };
  const next =
    current === undefined
      ? [...conditions, condition]
      : conditions.map((each) => (each === current ? condition : each));
  const kept = isRecord(object["status"]) ? object["status"] : {};
  const updated = { ...object, status: { ...kept, conditions: next } };
  const managers = managedFieldsOf(object).filter(
    (each) => textAt(each, "manager") !== "kube-apiserver" || textAt(each, "subresource") !== "status",
  );
  const sealedObject = encodeAtRevision(withManagedFields(updated, [statusManager(time), ...managers]));
  whileWritable(() => store.update(entry.key, sealedObject, { ifRevision: entry.revision }));
}

function availableOf(conditions: readonly unknown[]): unknown {
  return conditions.find((each) => textAt(each, "type") === "Available");
}

function isSame(condition: unknown, { status, reason, message }: Availability): boolean {
  return (
    textAt(condition, "status") === status &&
    textAt(condition, "reason") === reason &&
    textAt(condition, "message") === message
  );
}

function statusManager(time: string): JsonRecord {
  const fields = ["lastTransitionTime", "message", "reason", "status", "type"].map((name) => [`f:${name}`, {}]);
  return {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion: "apiregistration.k8s.io/v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": { ".": {}, 'k:{"type":"Available"}': { ".": {}, ...Object.fromEntries(fields) } },
      },
    },
    subresource: "status",
  };
}
