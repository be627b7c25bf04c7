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

// Nobody may give away rights that they do not have, unless they hold the verb for that: `escalate` on a role, `bind` on
// the role of a binding. The group system:masters may always.

/** Somebody writes a role or a binding. */
export interface RbacWrite<T> {
  readonly user: User;
  /** The namespace of the request; empty for what has none. */
  readonly namespace: string;
  /** The name of the request, from its path: empty when something is created. */
  readonly requestName: string;
  readonly next: T;
  /** What is stored now; undefined when the object is new. */
  readonly previous?: T | undefined;
  readonly policy: RbacPolicy;
  /** Answers whether the user holds `escalate` or `bind`; the policy unless told otherwise. */
  readonly authorizer?: Authorizer;
}

const everything: readonly Rule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

/** Refuses a role with rights its writer does not have; undefined when all is well. */
export function checkRoleWrite(write: RbacWrite<AnyRole>): Refusal | undefined {
  const { user, namespace, requestName, next, previous, policy, authorizer = policy } = write;
  if (isInGroup(user, wellKnown.masters)) return undefined;
  const resource = next.kind === "Role" ? "roles" : "clusterroles";
  const question = {
    user,
    verb: "escalate",
    group: rbacGroup,
    resource,
    subresource: "",
    namespace,
    name: requestName,
  };
  if (authorizer.authorize(question).isAllowed) return undefined;
  if (previous !== undefined && isOnlyForCollector(next, previous)) return undefined;
  const target = { group: rbacGroup, resource, name: next.metadata.name ?? "" };
  const problem = escalation(write, resource, next.rules ?? []);
  if (problem !== undefined) return forbidden(target, problem);
  if (!isSum(next) && !isSum(previous)) return undefined;
  // A sum gathers whatever others will write, so it takes the right to everything.
  if (escalation(write, resource, everything) === undefined) return undefined;
  return forbidden(target, "must have cluster-admin privileges to use the aggregationRule");
}

function isSum(role: AnyRole | undefined): role is ClusterRoleObject {
  return role?.kind === "ClusterRole" && isAggregated(role);
}

/** Refuses a binding to a role with rights its writer does not have; undefined when all is well. */
export function checkBindingWrite(write: RbacWrite<AnyBinding>): Refusal | undefined {
  const { user, namespace, next, previous, policy, authorizer = policy } = write;
  if (isInGroup(user, wellKnown.masters)) return undefined;
  if (previous !== undefined && isOnlyForCollector(next, previous)) return undefined;
  const { roleRef } = next;
  const roles = roleRef.kind === "ClusterRole" ? "clusterroles" : roleRef.kind === "Role" ? "roles" : undefined;
  if (roles !== undefined) {
    const group = roleRef.apiGroup ?? rbacGroup;
    const question = { user, verb: "bind", group, resource: roles, subresource: "", namespace, name: roleRef.name };
    if (authorizer.authorize(question).isAllowed) return undefined;
  }
  const rules = policy.resolve(roleRef, namespace);
  const resource = next.kind === "RoleBinding" ? "rolebindings" : "clusterrolebindings";
  if ("problem" in rules) {
    // The real server names the resource of the request rather than that of the role.
    return rules.role === undefined
      ? internalError(rules.problem)
      : notFound({ group: rbacGroup, resource, name: roleRef.name });
  }
  const problem = escalation(write, resource, rules);
  if (problem === undefined) return undefined;
  return forbidden({ group: rbacGroup, resource, name: next.metadata.name ?? "" }, problem);
}

/** What a user would give away without having it, in the words of the API server; undefined when nothing. */
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

/** Whether a change is one that the garbage collector makes: it must be able to, whatever its rights. */
function isOnlyForCollector(next: unknown, previous: unknown): boolean {
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
