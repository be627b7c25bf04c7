import { type Clock, formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { keyPrefix } from "../registry/keys.ts";
import { sealed } from "../registry/stored.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { listAt, textAt } from "../values/fields.ts";
import { conditionFields, danglingCondition, flowConsumer, flowGroup } from "./flow-control.ts";

const flowPrefix = keyPrefix(flowGroup, "flowschemas");
const levelPrefix = keyPrefix(flowGroup, "prioritylevelconfigurations");

/** Maintains the condition `Dangling` of every FlowSchema, which reports whether its priority level exists, until it is disposed. */
export function followFlows({
  store,
  clock,
}: {
  readonly store: Store<JsonRecord>;
  readonly clock: Pick<Clock, "now">;
}): Disposable {
  let seen = store.visibleRevision;
  const unsubscribe = store.subscribe((visible) => {
    const changed = new Set<string>();
    for (; seen < visible; seen += 1) {
      const key = store.change(seen + 1)?.key;
      if (key === undefined) continue;
      if (key.startsWith(flowPrefix)) changed.add(key);
      if (!key.startsWith(levelPrefix) && key !== lostKey) continue;
      for (const flow of store.view().entries({ prefix: flowPrefix })) changed.add(flow.key);
    }
    for (const key of changed) renew(store, key, formatTime(clock.now()));
  });
  return { [Symbol.dispose]: unsubscribe };
}

function renew(store: Store<JsonRecord>, key: string, time: string): void {
  const entry = store.get(key);
  if (entry === undefined) return;
  const flow = store.read(entry);
  const level = textAt(flow, "spec", "priorityLevelConfiguration", "name");
  const wanted = danglingCondition(level, { isThere: store.get(levelPrefix + level) !== undefined, time });
  const conditions = listAt(flow, "status", "conditions");
  const current = conditions.find((each) => textAt(each, "type") === wanted.type);
  const isTrue = (["status", "reason", "message"] as const).every((name) => textAt(current, name) === wanted[name]);
  if (isTrue) return;
  const next =
    current === undefined ? [...conditions, wanted] : conditions.map((each) => (each === current ? wanted : each));
  const made = { ...flow, status: { ...(isRecord(flow["status"]) ? flow["status"] : {}), conditions: next } };
  const managers = managedFieldsOf(flow).filter((each) => textAt(each, "manager") !== flowConsumer);
  store.update(key, sealed(withManagedFields(made, [manager(time), ...managers])), { ifRevision: entry.revision });
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
