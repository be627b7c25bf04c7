import { quote } from "@homeostat/cel";
import { joinProblems } from "../go-quote.ts";
import { isInGroup, type User, wellKnown } from "../user.ts";
import type { Attributes, Authorizer, Decision } from "../attributes.ts";
import { isPathRequest } from "../attributes.ts";
import { type AnyBinding, type RbacObject, rbacGroup, rbacKey, type RoleRefObject } from "./objects.ts";
import { type Rule, ruleAllows } from "./rule.ts";
import { describeBinding, firstSubject, groupWord, subjectWord, userWord } from "./subjects.ts";

/** The bindings of one scope (a namespace, or the cluster) by the word of their subject, each list in the order of names. */
type Scope = Map<string, AnyBinding[]>;

/** A reference that leads nowhere. */
export interface Unresolved {
  readonly name: string;
  /** Whether there could be such a role. Undefined when the kind of the reference is none of a role's. */
  readonly role: "role" | "clusterrole" | undefined;
  /** Such as `clusterrole.rbac.authorization.k8s.io "x" not found`. */
  readonly problem: string;
}

/** The rules a user holds, and what could not be resolved. */
export interface HeldRules {
  readonly rules: readonly Rule[];
  readonly unresolved: readonly Unresolved[];
}

const noRules: readonly Rule[] = [];
const allowedWithoutReason: Decision = { isAllowed: true, reason: "" };
const deniedWithoutReason: Decision = { isAllowed: false, reason: "" };

/**
 * Roles and bindings, ready for questions.
 *
 * Bindings are kept by subject, so that a question looks at those of its user and groups alone: the rest of the cluster
 * costs nothing. Feed it every change of the four kinds; an answer follows the last one at once.
 */
export class RbacPolicy implements Authorizer {
  readonly #roles = new Map<string, readonly Rule[]>();
  readonly #clusterRoles = new Map<string, readonly Rule[]>();
  readonly #bindings = new Map<string, AnyBinding>();
  readonly #scopes = new Map<string, Scope>();

  #source: (() => Iterable<RbacObject>) | undefined;

  /** Begins with these objects; a function is asked for them at the first question. */
  constructor(objects: Iterable<RbacObject> | (() => Iterable<RbacObject>) = []) {
    if (typeof objects === "function") this.#source = objects;
    else for (const object of objects) this.put(object);
  }

  /** Whether it has its first objects. Until then it need not be told of changes. */
  get isFilled(): boolean {
    return this.#source === undefined;
  }

  #fill(): void {
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    for (const object of source()) this.put(object);
  }

  /** Takes a new or changed object. */
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

  /** Forgets an object that was deleted. */
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
    for (const word of wordsOf(binding)) {
      const list = scope.get(word);
      if (list === undefined) scope.set(word, [binding]);
      else list.splice(placeFor(list, binding.metadata.name ?? ""), 0, binding);
    }
    this.#bindings.set(rbacKey(binding.metadata), binding);
  }

  #unbind({ metadata }: Pick<RbacObject, "metadata">): void {
    const binding = this.#bindings.get(rbacKey(metadata));
    if (binding === undefined) return;
    this.#bindings.delete(rbacKey(metadata));
    const namespace = metadata.namespace ?? "";
    const scope = this.#scopeOf(namespace);
    for (const word of wordsOf(binding)) {
      const list = scope.get(word) ?? [];
      if (list.length <= 1) scope.delete(word);
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

  /** Every rule a user holds in a namespace, those of the whole cluster first; for the cluster alone pass an empty text. */
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

  /** The rules a reference leads to. */
  resolve(roleRef: RoleRefObject, namespace: string): readonly Rule[] | Unresolved {
    this.#fill();
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

  /** Shows the bindings of a user one after the other until one is taken, and answers which. One may come up twice. */
  #visit(user: User, namespace: string, take: (binding: AnyBinding) => boolean): AnyBinding | undefined {
    this.#fill();
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
  const own = scope.get(userWord(user.name))?.find(take);
  if (own !== undefined) return own;
  for (const group of user.groups) {
    const shared = scope.get(groupWord(group))?.find(take);
    if (shared !== undefined) return shared;
  }
  return undefined;
}

function wordsOf(binding: AnyBinding): Set<string> {
  const words = new Set<string>();
  for (const subject of binding.subjects ?? []) {
    const word = subjectWord(subject, binding.metadata.namespace ?? "");
    if (word !== undefined) words.add(word);
  }
  return words;
}

function placeFor(list: readonly AnyBinding[], name: string): number {
  const later = list.findIndex((binding) => (binding.metadata.name ?? "") > name);
  return later === -1 ? list.length : later;
}

function missing(role: "role" | "clusterrole", name: string): Unresolved {
  return { name, role, problem: `${role}.${rbacGroup} ${quote(name)} not found` };
}
