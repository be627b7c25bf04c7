import { quote } from "@homeostat/cel";
import { joinProblems } from "../go-quote.ts";
import { isInGroup, type User, wellKnown } from "../user.ts";
import type { Attributes, Authorizer, Decision } from "../attributes.ts";
import { isPathRequest } from "../attributes.ts";
import { type AnyBinding, type RbacObject, rbacGroup, rbacKey, type RoleRefObject } from "./objects.ts";
import { type Rule, ruleAllows } from "./rule.ts";
import { describeBinding, firstSubject, groupKey, subjectKey, userKey } from "./subjects.ts";

/** The bindings of one scope (a namespace or the cluster) by subject key, each list sorted by name. */
type Scope = Map<string, AnyBinding[]>;

/** A role reference that cannot be resolved. */
export interface Unresolved {
  readonly name: string;
  /** Kind of the missing role; undefined if the kind of the reference is not a role. */
  readonly role: "role" | "clusterrole" | undefined;
  /** Message, such as `clusterrole.rbac.authorization.k8s.io "x" not found`. */
  readonly problem: string;
}

/** The rules of a user, and the references that could not be resolved. */
export interface HeldRules {
  readonly rules: readonly Rule[];
  readonly unresolved: readonly Unresolved[];
}

const noRules: readonly Rule[] = [];
const allowedWithoutReason: Decision = { isAllowed: true, reason: "" };
const deniedWithoutReason: Decision = { isAllowed: false, reason: "" };

/**
 * An index of roles and bindings that authorizes requests.
 *
 * Bindings are indexed by subject, so a decision reads only the bindings of the user and its groups, however many there
 * are in the cluster. The owner must pass every change of the four kinds to `put` and `remove`; decisions reflect it
 * immediately.
 */
export class RbacPolicy implements Authorizer {
  readonly #roles = new Map<string, readonly Rule[]>();
  readonly #clusterRoles = new Map<string, readonly Rule[]>();
  readonly #bindings = new Map<string, AnyBinding>();
  readonly #scopes = new Map<string, Scope>();

  #source: (() => Iterable<RbacObject>) | undefined;

  /** Starts with these objects. A function is called at the first decision. */
  constructor(objects: Iterable<RbacObject> | (() => Iterable<RbacObject>) = []) {
    if (typeof objects === "function") this.#source = objects;
    else for (const object of objects) this.put(object);
  }

  /**
   * True if the initial objects are loaded. Until then, changes need not be passed, since loading reads the current
   * objects.
   */
  get isFilled(): boolean {
    return this.#source === undefined;
  }

  #load(): void {
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    for (const object of source()) this.put(object);
  }

  /** Adds or replaces an object. */
  put(object: RbacObject): void {
    switch (object.kind) {
      case "Role":
        this.#roles.set(rbacKey(object.metadata), object.rules ?? noRules);
        break;
      case "ClusterRole":
        this.#clusterRoles.set(object.metadata.name ?? "", object.rules ?? noRules);
        break;
      case "RoleBinding":
      case "ClusterRoleBinding":
        this.#unbind(object);
        this.#bind(object);
        break;
    }
  }

  /** Removes a deleted object. */
  remove(object: Pick<RbacObject, "kind" | "metadata">): void {
    switch (object.kind) {
      case "Role":
        this.#roles.delete(rbacKey(object.metadata));
        break;
      case "ClusterRole":
        this.#clusterRoles.delete(object.metadata.name ?? "");
        break;
      case "RoleBinding":
      case "ClusterRoleBinding":
        this.#unbind(object);
        break;
    }
  }

  #bind(binding: AnyBinding): void {
    const scope = this.#scopeOf(binding.metadata.namespace ?? "");
    for (const key of subjectKeysOf(binding)) {
      const list = scope.get(key);
      if (list === undefined) scope.set(key, [binding]);
      else list.splice(insertionIndex(list, binding.metadata.name ?? ""), 0, binding);
    }
    this.#bindings.set(rbacKey(binding.metadata), binding);
  }

  #unbind({ metadata }: Pick<RbacObject, "metadata">): void {
    const binding = this.#bindings.get(rbacKey(metadata));
    if (binding === undefined) return;
    this.#bindings.delete(rbacKey(metadata));
    const namespace = metadata.namespace ?? "";
    const scope = this.#scopeOf(namespace);
    for (const key of subjectKeysOf(binding)) {
      const list = scope.get(key) ?? [];
      if (list.length <= 1) scope.delete(key);
      else list.splice(list.indexOf(binding), 1);
    }
    if (scope.size === 0) this.#scopes.delete(namespace);
  }

  #scopeOf(namespace: string): Scope {
    let scope = this.#scopes.get(namespace);
    if (scope === undefined) this.#scopes.set(namespace, (scope = new Map()));
    return scope;
  }

  authorize(attributes: Attributes): Decision {
    const { user } = attributes;
    if (isInGroup(user, wellKnown.masters)) return allowedWithoutReason;
    const problems: string[] = [];
    const namespace = isPathRequest(attributes) ? "" : attributes.namespace;
    const source = this.#visit(user, namespace, (binding) => {
      const rules = this.#rulesOf(binding);
      if ("problem" in rules) problems.push(rules.problem);
      else for (const rule of rules) if (ruleAllows(rule, attributes)) return true;
      return false;
    });
    if (source !== undefined) return { isAllowed: true, reason: `RBAC: allowed by ${this.#describe(source, user)}` };
    return problems.length === 0
      ? deniedWithoutReason
      : { isAllowed: false, reason: `RBAC: ${joinProblems(problems)}` };
  }

  #describe(binding: AnyBinding, user: User): string {
    const subject = firstSubject(binding, user);
    return subject === undefined ? quote(binding.metadata.name ?? "") : describeBinding(binding, subject);
  }

  /**
   * Returns all rules of a user in a namespace, cluster-wide ones first. An empty namespace returns only the
   * cluster-wide rules.
   */
  rulesFor(user: User, namespace: string): HeldRules {
    const rules: Rule[] = [];
    const unresolved: Unresolved[] = [];
    const seen = new Set<AnyBinding>();
    this.#visit(user, namespace, (binding) => {
      if (seen.has(binding)) return false;
      seen.add(binding);
      const held = this.#rulesOf(binding);
      if ("problem" in held) unresolved.push(held);
      else rules.push(...held);
      return false;
    });
    return { rules, unresolved };
  }

  /** Returns the rules of a role reference. */
  resolve(roleRef: RoleRefObject, namespace: string): readonly Rule[] | Unresolved {
    this.#load();
    switch (roleRef.kind) {
      case "Role":
        return this.#roles.get(`${namespace}/${roleRef.name}`) ?? missing("role", roleRef.name);
      case "ClusterRole":
        return this.#clusterRoles.get(roleRef.name) ?? missing("clusterrole", roleRef.name);
      default:
        return {
          name: roleRef.name,
          role: undefined,
          problem: `unsupported role reference kind: ${quote(roleRef.kind)}`,
        };
    }
  }

  #rulesOf(binding: AnyBinding): readonly Rule[] | Unresolved {
    return this.resolve(binding.roleRef, binding.metadata.namespace ?? "");
  }

  /**
   * Calls `take` with the bindings of a user until it returns true, and returns that binding. A binding may be passed
   * twice.
   */
  #visit(user: User, namespace: string, take: (binding: AnyBinding) => boolean): AnyBinding | undefined {
    this.#load();
    return (
      visitScope(this.#scopes.get(""), user, take) ??
      (namespace === "" ? undefined : visitScope(this.#scopes.get(namespace), user, take))
    );
  }
}

function visitScope(
  scope: Scope | undefined,
  user: User,
  take: (binding: AnyBinding) => boolean,
): AnyBinding | undefined {
  if (scope === undefined) return undefined;
  const own = scope.get(userKey(user.name))?.find(take);
  if (own !== undefined) return own;
  for (const group of user.groups) {
    const shared = scope.get(groupKey(group))?.find(take);
    if (shared !== undefined) return shared;
  }
  return undefined;
}

function subjectKeysOf(binding: AnyBinding): Set<string> {
  const keys = new Set<string>();
  for (const subject of binding.subjects ?? []) {
    const key = subjectKey(subject, binding.metadata.namespace ?? "");
    if (key !== undefined) keys.add(key);
  }
  return keys;
}

function insertionIndex(list: readonly AnyBinding[], name: string): number {
  const later = list.findIndex((binding) => (binding.metadata.name ?? "") > name);
  return later === -1 ? list.length : later;
}

function missing(role: "role" | "clusterrole", name: string): Unresolved {
  return { name, role, problem: `${role}.${rbacGroup} ${quote(name)} not found` };
}
