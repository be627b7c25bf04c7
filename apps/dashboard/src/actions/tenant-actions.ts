import { type DeepReadonly, isRecord, type KubeObject, ownValue } from "@homeostat/core";
import { recordIn } from "../health/fields.ts";
import type { Action } from "./action.ts";

const kind = { group: "neurallog.io", kind: "Tenant" };

const hibernate: Action = {
  ...kind,
  name: "hibernate",
  label: "Hibernate",
  description:
    "The operator stops all pods of the tenant: its server and its Redis no longer respond. Namespace, volumes, passwords and access stay, and Resume starts the pods again.",
  isDangerous: true,
  isOffered: (tenant) => isChanging(tenant) && !isHibernated(tenant),
  patch: () => ({ patch: { spec: { hibernation: { enabled: true } } } }),
};

const resume: Action = {
  ...kind,
  name: "resume",
  label: "Resume",
  description: "The operator starts the pods of the tenant with the data that its volumes have.",
  isOffered: (tenant) => isChanging(tenant) && isHibernated(tenant),
  patch: () => ({ patch: { spec: { hibernation: { enabled: false } } } }),
};

/** Actions of tenants. */
export const tenantActions: readonly Action[] = [hibernate, resume];

/** Reports whether the operator would apply a change: not while the tenant is paused or being deleted. */
function isChanging(tenant: DeepReadonly<KubeObject>): boolean {
  return tenant.metadata.deletionTimestamp === undefined && !isTrue(recordIn(tenant, "spec"), "paused");
}

function isHibernated(tenant: DeepReadonly<KubeObject>): boolean {
  return isTrue(recordIn(recordIn(tenant, "spec"), "hibernation"), "enabled");
}

function isTrue(value: unknown, name: string): boolean {
  return isRecord(value) && ownValue(value, name) === true;
}
