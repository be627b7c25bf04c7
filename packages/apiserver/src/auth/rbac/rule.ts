import { type Attributes, combinedResource, isPathRequest } from "../attributes.ts";

/** One rule of a role, as objects carry it. A missing list is an empty one. */
export interface Rule {
  readonly verbs?: readonly string[] | null | undefined;
  readonly apiGroups?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly resourceNames?: readonly string[] | null | undefined;
  readonly nonResourceURLs?: readonly string[] | null | undefined;
}

const nothing: readonly string[] = [];

/** Whether a rule allows what somebody wants to do. */
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

function hasOrAll(list: readonly string[] | null | undefined, wanted: string): boolean {
  if (list === undefined || list === null) return false;
  for (const item of list) if (item === wanted || item === "*") return true;
  return false;
}

/** `*` is everything, with subresources; `pods` is pods without subresources; `*` before a subresource is that of every resource. */
function resourceMatches(resources: readonly string[], wanted: string, subresource: string): boolean {
  for (const item of resources) {
    if (item === "*" || item === wanted) return true;
    if (subresource !== "" && item.length === subresource.length + 2 && item === `*/${subresource}`) return true;
  }
  return false;
}

/** No names mean any name. With names a request without one (a list, a create) is not meant. */
function nameMatches(names: readonly string[], wanted: string): boolean {
  return names.length === 0 || names.includes(wanted);
}

/** Whether a pattern of paths means a path: itself, or everything that begins with what stands before its last `*`. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path || pattern === "*") return true;
  return pattern.endsWith("*") && path.startsWith(trimStars(pattern));
}

function trimStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern.charCodeAt(end - 1) === 0x2a) end -= 1;
  return pattern.slice(0, end);
}
