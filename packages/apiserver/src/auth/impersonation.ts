import { dnsSubdomainProblems } from "@homeostat/core";
import { type Attributes, type Authorizer, forbiddenAnswer, type ResourceAttributes } from "./attributes.ts";
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
 * A way in which one user may act as another.
 *
 * All but the last are narrow: besides the right to be somebody (`impersonate:MODE`) they need the right to do just this as
 * somebody else (`impersonate-on:MODE:VERB`). The last, old one needs `impersonate` alone and then allows everything.
 */
type Mode = "associated-node" | "arbitrary-node" | "serviceaccount" | "user-info" | "legacy";

const modes: readonly Mode[] = ["associated-node", "arbitrary-node", "serviceaccount", "user-info", "legacy"];
const authenticationGroup = "authentication.k8s.io";
/** From so many on, a narrow mode first asks for the right to all of them. */
const manyFrom = 4;
const rememberedMax = 10_000;

/** Lets users act as others if they may. */
export class Impersonation {
  readonly #authorizer: Authorizer;
  /** By user, the mode that worked last: it is tried first, and a refusal tells of it first. */
  readonly #lastModes = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /**
   * Who the request is made as: `wanted`, completed with its groups; or the refusal of the first mode that could have
   * allowed it. `attributes` are those of the request itself, with the user who sent it.
   */
  become(wanted: User, attributes: Attributes): User | Refusal {
    const requester = attributes.user.name;
    const last = this.#lastModes.get(requester);
    let firstRefusal: Refusal | undefined;
    for (const mode of last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)]) {
      const answer = this.#try(mode, wanted, attributes);
      if (answer === undefined) continue;
      if (!(answer instanceof Refusal)) {
        if (this.#lastModes.size >= rememberedMax) this.#lastModes.clear();
        this.#lastModes.set(requester, mode);
        return answer;
      }
      firstRefusal ??= answer;
    }
    // The old mode fits everybody, so there is always an answer by now.
    return firstRefusal ?? forbiddenAnswer(attributes, "all impersonation modes failed");
  }

  #try(mode: Mode, wanted: User, attributes: Attributes): User | Refusal | undefined {
    if (!fits(mode, wanted, attributes.user)) return undefined;
    const requester = mode === "associated-node" ? withoutExtraValues(attributes.user) : attributes.user;
    if (mode !== "legacy") {
      const verb = `impersonate-on:${mode}:${attributes.verb}`;
      const refusal = this.#check({ ...attributes, user: requester, verb });
      if (refusal !== undefined) return refusal;
    }
    const actual = completed(mode, wanted);
    return this.#checkAll(mode, wanted, requester) ?? actual;
  }

  #checkAll(mode: Mode, wanted: User, requester: User): Refusal | undefined {
    const verb = mode === "legacy" ? "impersonate" : `impersonate:${mode}`;
    const nameGroup = mode === "legacy" ? "" : authenticationGroup;
    const ask = (group: string, resource: string, name: string): ResourceAttributes => {
      return { user: requester, verb, group, resource, subresource: "", namespace: "", name };
    };
    return (
      this.#check(nameQuestion(mode, wanted, ask(nameGroup, "users", wanted.name))) ??
      (wanted.uid === "" ? undefined : this.#check(ask(authenticationGroup, "uids", wanted.uid))) ??
      this.#checkGroups(mode, wanted.groups, ask(nameGroup, "groups", "")) ??
      this.#checkExtra(mode, wanted.extra, ask(authenticationGroup, "userextras", ""))
    );
  }

  #checkGroups(mode: Mode, groups: readonly string[], question: ResourceAttributes): Refusal | undefined {
    if (groups.length === 0) return undefined;
    if (mode !== "legacy") {
      if (groups.includes("")) return forbiddenAnswer(question, "impersonating the empty string group is not allowed");
      if (groups.includes(wellKnown.masters)) {
        const why = "impersonating the system:masters group is not allowed";
        return forbiddenAnswer({ ...question, name: wellKnown.masters }, why);
      }
      if (groups.length >= manyFrom && this.#check({ ...question, name: "*" }) === undefined) return undefined;
    }
    return first(groups, (name) => this.#check({ ...question, name }));
  }

  #checkExtra(mode: Mode, extra: UserExtra, question: ResourceAttributes): Refusal | undefined {
    const pairs = Object.keys(extra).flatMap((key) => (extra[key] ?? []).map((value) => [key, value] as const));
    if (pairs.length === 0) return undefined;
    if (mode !== "legacy") {
      const problem = first(pairs, ([key, value]) => extraProblem(key, value));
      if (problem !== undefined) return forbiddenAnswer(question, problem);
      const toAll = { ...question, subresource: "*", name: "*" };
      if (pairs.length >= manyFrom && this.#check(toAll) === undefined) return undefined;
    }
    return first(pairs, ([subresource, name]) => this.#check({ ...question, subresource, name }));
  }

  #check(attributes: Attributes): Refusal | undefined {
    const { isAllowed, reason } = this.#authorizer.authorize(attributes);
    return isAllowed ? undefined : forbiddenAnswer(attributes, reason);
  }
}

function fits(mode: Mode, wanted: User, requester: User): boolean {
  const isNameAlone = wanted.uid === "" && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  const node = nodeOfUserName(wanted.name);
  const isAccount = splitServiceAccountUserName(wanted.name) !== undefined;
  switch (mode) {
    case "associated-node":
      return isNameAlone && node !== undefined && isOnNode(requester, node);
    case "arbitrary-node":
      return isNameAlone && node !== undefined;
    case "serviceaccount":
      return isNameAlone && isAccount;
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

/** A service account that speaks for its node is the same on every node: only the names of what is known of it count. */
function withoutExtraValues(user: User): User {
  const keys = Object.keys(user.extra).sort();
  return { ...user, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
}

function nameQuestion(mode: Mode, wanted: User, question: ResourceAttributes): ResourceAttributes {
  const account = splitServiceAccountUserName(wanted.name);
  if (account !== undefined) return { ...question, resource: "serviceaccounts", ...account };
  const node = mode === "legacy" ? undefined : nodeOfUserName(wanted.name);
  if (node === undefined) return question;
  return { ...question, resource: "nodes", name: mode === "associated-node" ? "*" : node };
}

/** The user with the groups that follow from its name, and with that of everybody known or unknown. */
function completed(mode: Mode, wanted: User): User {
  const account = splitServiceAccountUserName(wanted.name);
  const groups =
    mode !== "legacy" && nodeOfUserName(wanted.name) !== undefined
      ? [wellKnown.nodes]
      : account !== undefined && wanted.groups.length === 0
        ? serviceAccountGroups(account.namespace)
        : wanted.groups;
  if (wanted.name === wellKnown.anonymous) return { ...wanted, groups: withGroup(groups, wellKnown.unauthenticated) };
  const isUnknown = groups.includes(wellKnown.unauthenticated);
  return { ...wanted, groups: isUnknown ? groups : withGroup(groups, wellKnown.authenticated) };
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}

const pathForm = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** What the narrow modes do not take as extra. */
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

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
