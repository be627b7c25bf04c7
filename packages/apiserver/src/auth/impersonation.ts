import { dnsSubdomainProblems } from "@homeostat/core";
import { type Attributes, type Authorizer, forbiddenRefusal, type ResourceAttributes } from "./attributes.ts";
import { quote } from "@homeostat/cel";
import { joinProblems } from "./go-quote.ts";
import { Refusal } from "./refusal.ts";
import {
  extraKeys,
  nodeOfUserName,
  serviceAccountGroups,
  splitServiceAccountUserName,
  type User,
  type UserExtra,
  wellKnown,
} from "./user.ts";

/**
 * A mode of constrained impersonation.
 *
 * All modes but `legacy` need two permissions: to impersonate the user (`impersonate:MODE`) and to perform this request
 * while impersonating (`impersonate-on:MODE:VERB`). The legacy mode needs only `impersonate` and then allows
 * everything.
 */
type Mode = "associated-node" | "arbitrary-node" | "serviceaccount" | "user-info" | "legacy";

const modes: readonly Mode[] = ["associated-node", "arbitrary-node", "serviceaccount", "user-info", "legacy"];
const authenticationGroup = "authentication.k8s.io";
/** From this number of groups or extra values on, a constrained mode first checks the permission for `*`. */
const wildcardCheckMin = 4;
const lastModesMax = 10_000;

/** Authorizes impersonation. */
export class Impersonation {
  readonly #authorizer: Authorizer;
  /** The last successful mode of each user. It is tried first, and its refusal is reported first. */
  readonly #lastModes = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /**
   * Returns the impersonated user, completed with its groups, or the refusal of the first mode that applies.
   * `attributes` are those of the actual request, with the requesting user.
   */
  impersonate(target: User, attributes: Attributes): User | Refusal {
    const requester = attributes.user.name;
    const last = this.#lastModes.get(requester);
    let firstRefusal: Refusal | undefined;
    for (const mode of last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)]) {
      const outcome = this.#try(mode, target, attributes);
      if (outcome === undefined) continue;
      if (!(outcome instanceof Refusal)) {
        if (this.#lastModes.size >= lastModesMax) this.#lastModes.clear();
        this.#lastModes.set(requester, mode);
        return outcome;
      }
      firstRefusal ??= outcome;
    }
    // The legacy mode applies to every user, so at least one mode has refused.
    return firstRefusal ?? forbiddenRefusal(attributes, "all impersonation modes failed");
  }

  /**
   * Returns the verb of the constrained mode that authorized the last impersonation by a user, for the audit log;
   * undefined for the legacy mode.
   */
  constraintOf(requester: string): string | undefined {
    const mode = this.#lastModes.get(requester);
    return mode === undefined || mode === "legacy" ? undefined : `impersonate:${mode}`;
  }

  #try(mode: Mode, target: User, attributes: Attributes): User | Refusal | undefined {
    if (!applies(mode, target, attributes.user)) return undefined;
    const requester = mode === "associated-node" ? withoutExtraValues(attributes.user) : attributes.user;
    if (mode !== "legacy") {
      const verb = `impersonate-on:${mode}:${attributes.verb}`;
      const refusal = this.#check({ ...attributes, user: requester, verb });
      if (refusal !== undefined) return refusal;
    }
    const actual = withDerivedGroups(mode, target);
    return this.#checkAll(mode, target, requester) ?? actual;
  }

  #checkAll(mode: Mode, target: User, requester: User): Refusal | undefined {
    const verb = mode === "legacy" ? "impersonate" : `impersonate:${mode}`;
    const nameGroup = mode === "legacy" ? "" : authenticationGroup;
    const attributesFor = (group: string, resource: string, name: string): ResourceAttributes => {
      return { user: requester, verb, group, resource, subresource: "", namespace: "", name };
    };
    return (
      this.#check(nameAttributes(mode, target, attributesFor(nameGroup, "users", target.name))) ??
      (target.uid === "" ? undefined : this.#check(attributesFor(authenticationGroup, "uids", target.uid))) ??
      this.#checkGroups(mode, target.groups, attributesFor(nameGroup, "groups", "")) ??
      this.#checkExtra(mode, target.extra, attributesFor(authenticationGroup, "userextras", ""))
    );
  }

  #checkGroups(mode: Mode, groups: readonly string[], attributes: ResourceAttributes): Refusal | undefined {
    if (groups.length === 0) return undefined;
    if (mode !== "legacy") {
      if (groups.includes(""))
        return forbiddenRefusal(attributes, "impersonating the empty string group is not allowed");
      if (groups.includes(wellKnown.masters)) {
        const why = "impersonating the system:masters group is not allowed";
        return forbiddenRefusal({ ...attributes, name: wellKnown.masters }, why);
      }
      if (groups.length >= wildcardCheckMin && this.#check({ ...attributes, name: "*" }) === undefined)
        return undefined;
    }
    return firstDefined(groups, (name) => this.#check({ ...attributes, name }));
  }

  #checkExtra(mode: Mode, extra: UserExtra, attributes: ResourceAttributes): Refusal | undefined {
    const pairs = Object.keys(extra).flatMap((key) => (extra[key] ?? []).map((value) => [key, value] as const));
    if (pairs.length === 0) return undefined;
    if (mode !== "legacy") {
      const problem = firstDefined(pairs, ([key, value]) => extraProblem(key, value));
      if (problem !== undefined) return forbiddenRefusal(attributes, problem);
      const toAll = { ...attributes, subresource: "*", name: "*" };
      if (pairs.length >= wildcardCheckMin && this.#check(toAll) === undefined) return undefined;
    }
    return firstDefined(pairs, ([subresource, name]) => this.#check({ ...attributes, subresource, name }));
  }

  #check(attributes: Attributes): Refusal | undefined {
    const { isAllowed, reason } = this.#authorizer.authorize(attributes);
    return isAllowed ? undefined : forbiddenRefusal(attributes, reason);
  }
}

function applies(mode: Mode, target: User, requester: User): boolean {
  const hasOnlyName = target.uid === "" && target.groups.length === 0 && Object.keys(target.extra).length === 0;
  const node = nodeOfUserName(target.name);
  const isAccount = splitServiceAccountUserName(target.name) !== undefined;
  switch (mode) {
    case "associated-node":
      return hasOnlyName && node !== undefined && isOnNode(requester, node);
    case "arbitrary-node":
      return hasOnlyName && node !== undefined;
    case "serviceaccount":
      return hasOnlyName && isAccount;
    case "user-info":
      return node === undefined && !isAccount;
    case "legacy":
      return true;
  }
}

function isOnNode(requester: User, node: string): boolean {
  if (splitServiceAccountUserName(requester.name) === undefined) return false;
  const nodes = Object.hasOwn(requester.extra, extraKeys.nodeName) ? requester.extra[extraKeys.nodeName] : [];
  return nodes?.length === 1 && nodes[0] === node;
}

/**
 * Replaces extra values by their keys. A service account that impersonates its own node has different values on each
 * node, but should be authorized the same way on all.
 */
function withoutExtraValues(user: User): User {
  const keys = Object.keys(user.extra).sort();
  return { ...user, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
}

function nameAttributes(mode: Mode, target: User, attributes: ResourceAttributes): ResourceAttributes {
  const account = splitServiceAccountUserName(target.name);
  if (account !== undefined) return { ...attributes, resource: "serviceaccounts", ...account };
  const node = mode === "legacy" ? undefined : nodeOfUserName(target.name);
  if (node === undefined) return attributes;
  return { ...attributes, resource: "nodes", name: mode === "associated-node" ? "*" : node };
}

/** Adds the groups that follow from the user name, and the authenticated or unauthenticated group. */
function withDerivedGroups(mode: Mode, target: User): User {
  const account = splitServiceAccountUserName(target.name);
  const groups =
    mode !== "legacy" && nodeOfUserName(target.name) !== undefined
      ? [wellKnown.nodes]
      : account !== undefined && target.groups.length === 0
        ? serviceAccountGroups(account.namespace)
        : target.groups;
  if (target.name === wellKnown.anonymous) return { ...target, groups: withGroup(groups, wellKnown.unauthenticated) };
  const isUnauthenticated = groups.includes(wellKnown.unauthenticated);
  return { ...target, groups: isUnauthenticated ? groups : withGroup(groups, wellKnown.authenticated) };
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}

const pathForm = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Returns the problem with an extra key or value that constrained modes do not allow. */
function extraProblem(key: string, value: string): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const problems = domainPathProblems(key);
  if (problems.length > 0) {
    return `impersonating an invalid key in extra is not allowed: ${joinProblems(problems)}`;
  }
  return value === "" ? "impersonating the empty string value in extra is not allowed" : undefined;
}

function domainPathProblems(key: string): string[] {
  const slash = key.indexOf("/");
  const host = key.slice(0, Math.max(0, slash));
  const path = key.slice(slash + 1);
  const invalid = (value: string, detail: string): string => `extra.key: Invalid value: ${quote(value)}: ${detail}`;
  if (host === "" || path === "") return [invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const problems = dnsSubdomainProblems(host).map((problem) => invalid(host, problem));
  if (pathForm.test(path)) return problems;
  return [...problems, invalid(path, `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`)];
}

function firstDefined<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
