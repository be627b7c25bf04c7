import { type Clock, formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { keyPrefix } from "../resources/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { listAt, textAt } from "../values/fields.ts";
import { conditionFields, danglingCondition, flowConsumer, flowGroup } from "./flow-control.ts";

const flowPrefix = keyPrefix(flowGroup, "flowschemas");
const levelPrefix = keyPrefix(flowGroup, "prioritylevelconfigurations");

/** Maintains the condition `Dangling` of every FlowSchema, which reports whether its priority level exists, until it is disposed. */
export function followFlowConditions({
  store,
  clock,
}: {
  readonly store: Store<JsonRecord>;
  readonly clock: Pick<Clock, "now">;
}): Disposable {
  let seenRevision = store.visibleRevision;
  const unsubscribe = store.subscribe((visible) => {
    const changed = new Set<string>();
    for (; seenRevision < visible; seenRevision += 1) {
      const key = store.change(seenRevision + 1)?.key;
      if (key === undefined) continue;
      if (key.startsWith(flowPrefix)) changed.add(key);
      // A changed priority level, or a rolled-back write, may concern every FlowSchema.
      if (!key.startsWith(levelPrefix) && key !== lostKey) continue;
      for (const flow of store.view().entries({ prefix: flowPrefix })) changed.add(flow.key);
    }
    for (const key of changed) updateCondition(store, key, formatTime(clock.now()));
  });
  return { [Symbol.dispose]: unsubscribe };
}

function updateCondition(store: Store<JsonRecord>, key: string, time: string): void {
  const entry = store.get(key);
  if (entry === undefined) return;
  const flow = store.read(entry);
  const level = textAt(flow, "spec", "priorityLevelConfiguration", "name");
  const desired = danglingCondition(level, { exists: store.get(levelPrefix + level) !== undefined, time });
  const conditions = listAt(flow, "status", "conditions");
  const current = conditions.find((each) => textAt(each, "type") === desired.type);
  const isCurrent = (["status", "reason", "message"] as const).every((name) => textAt(current, name) === desired[name]);
  if (isCurrent) return;
  const next =
    current === undefined ? [...conditions, desired] : conditions.map((each) => (each === current ? desired : each));
  const made = { ...flow, status: { ...(isRecord(flow["status"]) ? flow["status"] : {}), conditions: next } };
  const managers = managedFieldsOf(flow).filter((each) => textAt(each, "manager") !== flowConsumer);
  store.update(key, encodeAtRevision(withManagedFields(made, [manager(time), ...managers])), {
    ifRevision: entry.revision,
  });
}

function manager(time: string): JsonRecord {
  return {
    manager: flowConsumer,
    operation: "Apply",
    apiVersion: `${flowGroup}/v1`,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: conditionFields,
    subresource: "status",
  };
}
