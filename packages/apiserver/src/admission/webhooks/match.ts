// Matches requests with the rules and selectors of webhooks and policies.

import { isRecord, type LabelSelector } from "@homeostat/core";
import type { ServedKind } from "../../resources/served-kind.ts";
import { notFoundStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { entriesAt } from "../../values/fields.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { resourceOf } from "../forbid.ts";
import type { HookRule } from "./hook.ts";

/** Returns the served versions of the same kind, for `matchPolicy: Equivalent`. */
export type Equivalents = (kind: ServedKind) => readonly ServedKind[];

/** Reports whether a rule matches a request whose object is seen as `kind`. */
export function ruleMatches(rule: HookRule, request: AdmissionRequest, kind: ServedKind): boolean {
  const { group, version, plural } = kind.resource;
  return (
    isInScope(rule.scope, request) &&
    isListed(rule.operations, request.operation) &&
    isListed(rule.groups, group) &&
    isListed(rule.versions, version) &&
    rule.resources.some((text) => {
      const slash = text.indexOf("/");
      const [resource, subresource] = slash === -1 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
      return (resource === "*" || resource === plural) && (subresource === "*" || subresource === request.subresource);
    })
  );
}

function isListed(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function isInScope(scope: string, request: AdmissionRequest): boolean {
  if (scope === "*") return true;
  const isNamespaced = request.namespace !== "" && resourceOf(request) !== "namespaces";
  return scope === "Namespaced" ? isNamespaced : scope === "Cluster" && !isNamespaced;
}

/** Returns the kind in which rules match a request: the requested version if possible, or else an equivalent one. */
export function matchedKind(
  rules: readonly HookRule[],
  request: AdmissionRequest,
  equivalents: Equivalents | undefined,
): ServedKind | undefined {
  if (rules.some((rule) => ruleMatches(rule, request, request.kind))) return request.kind;
  const others = equivalents?.(request.kind) ?? [];
  for (const rule of rules) {
    const found = others.find((kind) => kind !== request.kind && ruleMatches(rule, request, kind));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reports whether a namespace selector matches the namespace of a request. Cluster-scoped objects other than namespaces
 * always match.
 */
export function namespaceMatches(selector: LabelSelector, request: AdmissionRequest, reader: ClusterReader): boolean {
  const isNamespace = resourceOf(request) === "namespaces";
  if ((request.namespace === "" && !isNamespace) || selector.isEverything) return true;
  const { operation, subresource, object } = request;
  if (isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE")) {
    return selector.matches(labelsOf(object));
  }
  const name = isNamespace ? request.name : request.namespace;
  const namespace = reader.get({ group: "", resource: "namespaces", namespace: "", name });
  if (namespace === undefined) throw new StatusError(notFoundStatus({ group: "", resource: "namespaces" }, name));
  return selector.matches(labelsOf(namespace));
}

/** Reports whether an object selector matches the new or the old object of a request. */
export function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.isEverything) return true;
  return [object, oldObject].some((each) => isRecord(each) && selector.matches(labelsOf(each)));
}

/** Returns the labels of an object. */
export function labelsOf(object: unknown): Record<string, string> {
  const texts = entriesAt(object, "metadata", "labels").map(([key, value]): [string, string] => [key, String(value)]);
  return Object.fromEntries(texts);
}
