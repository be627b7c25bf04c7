import { deepClone, isEqual, isRecord } from "@homeostat/core";
import type { Authorizer } from "../attributes.ts";
import { quote } from "@homeostat/cel";
import { goQuoteList, joinProblems } from "../go-quote.ts";
import { forbidden, notFound, type Refusal, internalError } from "../refusal.ts";
import { isInGroup, type User, wellKnown } from "../user.ts";
import { isAggregated } from "./aggregate.ts";
import { describeMissing, missingRules } from "./covers.ts";
import { type AnyBinding, type AnyRole, type ClusterRoleObject, rbacGroup } from "./objects.ts";
import type { RbacPolicy } from "./policy.ts";
import type { Rule } from "./rule.ts";

// Privilege escalation checks: users cannot grant permissions that they do not have, unless they have the verb
// `escalate` on the role, or `bind` on the role of a binding. Members of system:masters are exempt.

/** A write of a role or binding. */
export interface RbacWrite<T> {
  readonly user: User;
  /** Namespace of the request; empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Name in the request path; empty for a create. */
  readonly requestName: string;
  readonly next: T;
  /** The stored object; undefined if the object is new. */
  readonly previous?: T | undefined;
  readonly policy: RbacPolicy;
  /** Decides about `escalate` and `bind`. Default: the policy. */
  readonly authorizer?: Authorizer;
}

const everything: readonly Rule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

/** Refuses a role with permissions that the user does not have; undefined if the write is allowed. */
export function checkRoleWrite(write: RbacWrite<AnyRole>): Refusal | undefined {
  const { user, namespace, requestName, next, previous, policy, authorizer = policy } = write;
  if (isInGroup(user, wellKnown.masters)) return undefined;
  const resource = next.kind === "Role" ? "roles" : "clusterroles";
  const attributes = {
    user,
    verb: "escalate",
    group: rbacGroup,
    resource,
    subresource: "",
    namespace,
    name: requestName,
  };
  if (authorizer.authorize(attributes).isAllowed) return undefined;
  if (previous !== undefined && isGarbageCollectorChange(next, previous)) return undefined;
  const target = { group: rbacGroup, resource, name: next.metadata.name ?? "" };
  const problem = escalation(write, resource, next.rules ?? []);
  if (problem !== undefined) return forbidden(target, problem);
  if (!isAggregatedRole(next) && !isAggregatedRole(previous)) return undefined;
  // An aggregated role includes rules that other users write later, so it requires all permissions.
  if (escalation(write, resource, everything) === undefined) return undefined;
  return forbidden(target, "must have cluster-admin privileges to use the aggregationRule");
}

function isAggregatedRole(role: AnyRole | undefined): role is ClusterRoleObject {
  return role?.kind === "ClusterRole" && isAggregated(role);
}

/** Refuses a binding to a role with permissions that the user does not have; undefined if the write is allowed. */
export function checkBindingWrite(write: RbacWrite<AnyBinding>): Refusal | undefined {
  const { user, namespace, next, previous, policy, authorizer = policy } = write;
  if (isInGroup(user, wellKnown.masters)) return undefined;
  if (previous !== undefined && isGarbageCollectorChange(next, previous)) return undefined;
  const { roleRef } = next;
  const roles = roleRef.kind === "ClusterRole" ? "clusterroles" : roleRef.kind === "Role" ? "roles" : undefined;
  if (roles !== undefined) {
    const group = roleRef.apiGroup ?? rbacGroup;
    const attributes = { user, verb: "bind", group, resource: roles, subresource: "", namespace, name: roleRef.name };
    if (authorizer.authorize(attributes).isAllowed) return undefined;
  }
  const rules = policy.resolve(roleRef, namespace);
  const resource = next.kind === "RoleBinding" ? "rolebindings" : "clusterrolebindings";
  if ("problem" in rules) {
    // The real server names the resource of the binding instead of the role's.
    return rules.role === undefined
      ? internalError(rules.problem)
      : notFound({ group: rbacGroup, resource, name: roleRef.name });
  }
  const problem = escalation(write, resource, rules);
  if (problem === undefined) return undefined;
  return forbidden({ group: rbacGroup, resource, name: next.metadata.name ?? "" }, problem);
}

/** Returns the message about permissions that the user would grant without having them; undefined if there are none. */
function escalation(
  { user, namespace, policy }: Pick<RbacWrite<unknown>, "user" | "namespace" | "policy">,
  resource: string,
  rules: readonly Rule[],
): string | undefined {
  const held = policy.rulesFor(user, namespace);
  const missing = missingRules(held.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${quote(user.name)} (groups=${goQuoteList(user.groups)})`;
  const lines = describeMissing(missing).join("\n");
  const problems = held.unresolved.map(({ role, name, problem }) =>
    role === undefined ? problem : `${resource}.${rbacGroup} ${quote(name)} not found`,
  );
  const unresolved = problems.length === 0 ? "" : `; resolution errors: [${joinProblems(problems)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${unresolved}`;
}

/**
 * Reports whether only fields changed that the garbage collector writes. It must be able to, whatever its permissions.
 */
function isGarbageCollectorChange(next: unknown, previous: unknown): boolean {
  return isEqual(withoutCollectorFields(next), withoutCollectorFields(previous));
}

function withoutCollectorFields(object: unknown): unknown {
  const copy = deepClone(object);
  if (!isRecord(copy)) return copy;
  const metadata = copy["metadata"];
  if (isRecord(metadata)) for (const field of collectorFields) delete metadata[field];
  return copy;
}

const collectorFields = ["ownerReferences", "finalizers", "selfLink", "managedFields"];
