import { isRecord, type JsonRecord } from "@homeostat/core";
import { defaultPolicy } from "../auth/rbac/default-policy.ts";
import { rbacGroup, type RbacObject } from "../auth/rbac/objects.ts";
import { type RestoreAction, restoreBinding, restoreRole } from "../auth/rbac/restore-defaults.ts";
import type { Call } from "../registry/call.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { putSource } from "../registry/update-sources.ts";
import { StatusError } from "../status/status.ts";
import { plurals } from "./bootstrap-policy.ts";
import { isBinding, isRole } from "./rbac-state.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";

/** The parts of a server that {@link restorePolicy} uses. */
export interface RestorePolicyOptions {
  readonly registry: Registry;
  readonly kinds: { find(group: string, version: string, resource: string): ServedKind | undefined };
}

/**
 * Restores default roles and bindings that were deleted or reduced, as kube-apiserver does at every start (the post-start hook
 * `rbac/bootstrap-roles`). An administrator who locked out components by mistake restarts the server.
 *
 * A cluster that has them all costs reads of the store only.
 */
export async function restorePolicy({ registry, kinds }: RestorePolicyOptions): Promise<void> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy();
  for (const expected of [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings]) {
    const resource = plurals[expected.kind];
    const { name = "", namespace = "" } = expected.metadata;
    const stored = registry.get({ group: rbacGroup, resource, namespace, name });
    const action = actionFor(expected, stored);
    const kind = kinds.find(rbacGroup, "v1", resource);
    if (action.do === "nothing" || kind === undefined || !hasNamespace(registry, namespace)) continue;
    const call = systemCall(kind, { namespace, name });
    try {
      await carryOut(action, { registry, call });
    } catch (error) {
      // An admission webhook of the cluster may refuse the write, or not run yet. The server must start anyway.
      if (!(error instanceof StatusError)) throw error;
    }
  }
}

async function carryOut(
  action: Exclude<RestoreAction<RbacObject>, { readonly do: "nothing" }>,
  { registry, call }: { readonly registry: Registry; readonly call: Call },
): Promise<void> {
  const { object } = call.kind.complete({ ...action.object, apiVersion: `${rbacGroup}/v1` }, "Ignore");
  if (action.do === "update") {
    await registry.update(call, putSource(call, object, ""), systemChoice());
    return;
  }
  if (action.do === "replace") await registry.delete(call, {}, systemChoice());
  await registry.create(call, object, systemChoice());
}

function actionFor(expected: RbacObject, stored: JsonRecord | undefined): RestoreAction<RbacObject> {
  if (expected.kind === "Role" || expected.kind === "ClusterRole") {
    return restoreRole(expected, stored !== undefined && isRole(stored) ? stored : undefined);
  }
  return restoreBinding(expected, stored !== undefined && isBinding(stored) ? stored : undefined);
}

function hasNamespace(registry: Registry, name: string): boolean {
  return name === "" || isRecord(registry.get({ group: "", resource: "namespaces", namespace: "", name }));
}
