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
import { keyPrefix } from "../registry/keys.ts";
import { lostKey, type Store } from "../storage/store.ts";

/** Prefix of the keys of roles and bindings of both scopes. */
const groupPrefix = `${rbacGroup}/`;
const rolePrefix = keyPrefix(rbacGroup, "clusterroles");

/**
 * Roles and bindings as the store has them, always up to date.
 *
 * They are read when they first matter: the administrator of a fresh server does not wait for them.
 */
export class RbacState implements Disposable {
  readonly policy: RbacPolicy;
  readonly #store: Store<JsonRecord>;
  readonly #unsubscribe: () => void;
  #seen: number;

  /** `onRole` is told when a ClusterRole was written or removed: sums of roles may have changed. */
  constructor(store: Store<JsonRecord>, onRole: () => void) {
    this.#store = store;
    this.policy = new RbacPolicy(() => this.#objects(groupPrefix).filter(isRbacObject));
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => {
      let hasRole = false;
      for (; this.#seen < visible; this.#seen += 1) {
        const change = store.change(this.#seen + 1);
        // The sum of roles may be among the writes that were lost.
        hasRole ||= change?.key === lostKey;
        if (change === undefined || !change.key.startsWith(groupPrefix)) continue;
        hasRole ||= change.key.startsWith(rolePrefix);
        if (!this.policy.isFilled) continue;
        if (change.after !== undefined) this.#put(store.read(change.after));
        else if (change.before !== undefined) this.#remove(store.read(change.before));
      }
      if (hasRole) onRole();
    });
  }

  /** All ClusterRoles there are. */
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

/** Refuses, with a `StatusError`, roles and bindings that give away rights their writer does not have. */
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
