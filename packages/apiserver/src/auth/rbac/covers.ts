import { goQuoteList, sortedUnique } from "../go-quote.ts";
import { pathMatches, type Rule } from "./rule.ts";

/** A rule for one verb on one resource or path. Roles are compared by these. */
interface SingleRule {
  readonly verb: string;
  /** Undefined for a path. */
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

/** Splits `requested` into single rules and returns those that no rule of `held` grants. */
export function missingRules(held: readonly Rule[], requested: readonly Rule[]): SingleRule[] {
  return requested.flatMap(splitRule).filter((single) => !held.some((rule) => ruleCovers(rule, single)));
}

/** Reports whether one set of rules grants everything that another does. */
export function covers(held: readonly Rule[], requested: readonly Rule[]): boolean {
  return missingRules(held, requested).length === 0;
}

function splitRule(rule: Rule): SingleRule[] {
  const singles: SingleRule[] = [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs ?? []) {
        if (names.length === 0) singles.push({ verb, group, resource });
        else for (const name of names) singles.push({ verb, group, resource, name });
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? []) for (const verb of rule.verbs ?? []) singles.push({ verb, path });
  return singles;
}

function ruleCovers(rule: Rule, { verb, group, resource, name, path }: SingleRule): boolean {
  const names = rule.resourceNames ?? [];
  return (
    isCovered(rule.verbs, verb) &&
    (group === undefined || isCovered(rule.apiGroups, group)) &&
    (resource === undefined || resourceIsCovered(rule.resources ?? [], resource)) &&
    (path === undefined || (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, path))) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function isCovered(list: readonly string[] | null | undefined, requested: string): boolean {
  return list?.includes("*") === true || list?.includes(requested) === true;
}

function resourceIsCovered(resources: readonly string[], requested: string): boolean {
  if (resources.includes("*") || resources.includes(requested)) return true;
  const slash = requested.indexOf("/");
  return slash !== -1 && resources.includes(`*${requested.slice(slash)}`);
}

/** Converts single rules to rules for a role. */
export function asRules(singles: readonly SingleRule[]): Rule[] {
  return singles.map(({ verb, group, resource, name, path }) => ({
    ...(group === undefined ? {} : { apiGroups: [group] }),
    ...(path === undefined ? {} : { nonResourceURLs: [path] }),
    ...(name === undefined ? {} : { resourceNames: [name] }),
    ...(resource === undefined ? {} : { resources: [resource] }),
    verbs: [verb],
  }));
}

/** Formats missing rules for a message, with verbs on the same resource combined: `{APIGroups:[""], ...}`. */
export function describeMissing(singles: readonly SingleRule[]): string[] {
  const byResource = new Map<string, { readonly single: SingleRule; readonly verbs: string[] }>();
  for (const [index, single] of singles.entries()) {
    const { group, resource, name, path } = single;
    // Paths are not combined.
    const key = JSON.stringify(path === undefined ? [group, resource, name] : [index]);
    const entry = byResource.get(key);
    if (entry === undefined) byResource.set(key, { single, verbs: [single.verb] });
    else entry.verbs.push(single.verb);
  }
  return sortedUnique(Array.from(byResource.values(), ({ single, verbs }) => describe(single, verbs)));
}

function describe({ group, resource, name, path }: SingleRule, verbs: readonly string[]): string {
  const parts = [
    ...(group === undefined ? [] : [`APIGroups:${goQuoteList([group])}`]),
    ...(resource === undefined ? [] : [`Resources:${goQuoteList([resource])}`]),
    ...(path === undefined ? [] : [`NonResourceURLs:${goQuoteList([path])}`]),
    ...(name === undefined ? [] : [`ResourceNames:${goQuoteList([name])}`]),
    `Verbs:${goQuoteList(verbs)}`,
  ];
  return `{${parts.join(", ")}}`;
}
