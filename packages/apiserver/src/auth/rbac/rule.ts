import { type Attributes, combinedResource, isPathRequest } from "../attributes.ts";

/** A rule of a role. A missing list equals an empty one. */
export interface Rule {
  readonly verbs?: readonly string[] | null | undefined;
  readonly apiGroups?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly resourceNames?: readonly string[] | null | undefined;
  readonly nonResourceURLs?: readonly string[] | null | undefined;
}

const nothing: readonly string[] = [];

/** Reports whether a rule allows a request. */
export function ruleAllows(rule: Rule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (isPathRequest(attributes)) {
    return (rule.nonResourceURLs ?? nothing).some((pattern) => pathMatches(pattern, attributes.path));
  }
  return (
    hasOrAll(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources ?? nothing, combinedResource(attributes), attributes.subresource) &&
    nameMatches(rule.resourceNames ?? nothing, attributes.name)
  );
}

function hasOrAll(list: readonly string[] | null | undefined, requested: string): boolean {
  if (list === undefined || list === null) return false;
  for (const item of list) if (item === requested || item === "*") return true;
  return false;
}

// Matches resources: `*` matches everything including subresources, `pods` only pods without subresources, and `*/log` the
// subresource of every resource.
function resourceMatches(resources: readonly string[], requested: string, subresource: string): boolean {
  for (const item of resources) {
    if (item === "*" || item === requested) return true;
    if (subresource !== "" && item.length === subresource.length + 2 && item === `*/${subresource}`) return true;
  }
  return false;
}

/** Matches names. No names match any name; with names, a request without a name (list, create) does not match. */
function nameMatches(names: readonly string[], requested: string): boolean {
  return names.length === 0 || names.includes(requested);
}

/** Reports whether a path pattern matches a path: exactly, or as a prefix if it ends with `*`. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path || pattern === "*") return true;
  return pattern.endsWith("*") && path.startsWith(trimStars(pattern));
}

function trimStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern.charCodeAt(end - 1) === 0x2a) end -= 1;
  return pattern.slice(0, end);
}
