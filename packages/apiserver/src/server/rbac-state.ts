import { isRecord, type JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../auth/attributes.ts";
import { checkBindingWrite, checkRoleWrite } from "../auth/rbac/escalation.ts";
import {
  type AnyBinding,
  type AnyRole,
  type ClusterRoleObject,
  rbacGroup,
  type RbacObject,
} from "../auth/rbac/objects.ts";
import { RbacPolicy } from "../auth/rbac/policy.ts";
import { checkRoleRef } from "../auth/rbac/role-ref.ts";
import { resultOrThrow } from "../handlers/result-or-throw.ts";
import type { GuardedWrite } from "../registry/context.ts";
import { keyPrefix } from "../resources/keys.ts";
import { lostKey, type Store } from "../storage/store.ts";

/** Prefix of the keys of roles and bindings of both scopes. */
const groupPrefix = `${rbacGroup}/`;
const rolePrefix = keyPrefix(rbacGroup, "clusterroles");

/**
 * Roles and bindings of the store, kept up to date by its changes.
 *
 * They are loaded on first use: requests of the administrator, who is authorized without them, need not wait.
 */
export class RbacState implements Disposable {
  readonly policy: RbacPolicy;
  readonly #store: Store<JsonRecord>;
  readonly #unsubscribe: () => void;
  #seen: number;

  /** `onClusterRole` is called after a ClusterRole was written or deleted: aggregated roles may have to change. */
  constructor(store: Store<JsonRecord>, onClusterRole: () => void) {
    this.#store = store;
    this.policy = new RbacPolicy(() => this.#objects(groupPrefix).filter(isRbacObject));
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => {
      let hasClusterRole = false;
      for (; this.#seen < visible; this.#seen += 1) {
        const change = store.change(this.#seen + 1);
        // The update of an aggregated role may be among the lost writes.
        hasClusterRole ||= change?.key === lostKey;
        if (change === undefined || !change.key.startsWith(groupPrefix)) continue;
        hasClusterRole ||= change.key.startsWith(rolePrefix);
        if (!this.policy.isFilled) continue;
        if (change.after !== undefined) this.#put(store.read(change.after));
        else if (change.before !== undefined) this.#remove(store.read(change.before));
      }
      if (hasClusterRole) onClusterRole();
    });
  }

  /** Returns all ClusterRoles. */
  clusterRoles(): (JsonRecord & ClusterRoleObject)[] {
    return this.#objects(rolePrefix).filter(isClusterRole);
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #objects(prefix: string): JsonRecord[] {
    const entries = this.#store.view().entries({ prefix });
    return entries.map((entry) => this.#store.read(entry));
  }

  #put(object: JsonRecord): void {
    if (isRbacObject(object)) this.policy.put(object);
  }

  #remove(object: JsonRecord): void {
    if (isRbacObject(object)) this.policy.remove(object);
  }
}

/**
 * Returns a check that rejects, with a `StatusError`, roles and bindings that grant permissions their writer does not
 * have.
 */
export function guardRbac(policy: RbacPolicy, authorizer: Authorizer): (write: GuardedWrite) => void {
  return ({ call, object, old }) => {
    if (call.kind.resource.group !== rbacGroup) return;
    const { user, namespace } = call;
    const about = { user, namespace, requestName: old === undefined ? "" : call.name, policy, authorizer };
    if (isRole(object)) {
      resultOrThrow(
        checkRoleWrite({ ...about, next: object, ...(old !== undefined && isRole(old) ? { previous: old } : {}) }),
      );
    }
    if (!isBinding(object)) return;
    const previous = old !== undefined && isBinding(old) ? old : undefined;
    resultOrThrow(checkBindingWrite({ ...about, next: object, ...(previous === undefined ? {} : { previous }) }));
    if (previous !== undefined) resultOrThrow(checkRoleRef(previous, object));
  };
}

function isRbacObject(value: JsonRecord): value is JsonRecord & RbacObject {
  return isRole(value) || isBinding(value);
}

function isRole(value: JsonRecord): value is JsonRecord & AnyRole {
  return (value["kind"] === "Role" || value["kind"] === "ClusterRole") && isRecord(value["metadata"]);
}

function isClusterRole(value: JsonRecord): value is JsonRecord & ClusterRoleObject {
  return value["kind"] === "ClusterRole" && isRecord(value["metadata"]);
}

function isBinding(value: JsonRecord): value is JsonRecord & AnyBinding {
  const isKind = value["kind"] === "RoleBinding" || value["kind"] === "ClusterRoleBinding";
  return isKind && isRecord(value["metadata"]) && isRecord(value["roleRef"]);
}
