import type { ResourceType } from "@homeostat/core";
import type { AccessDefinition, Controller } from "./definition.ts";
import { isManaged, type OwnedKind } from "../kinds/kinds.ts";

/** An RBAC rule: verbs on one resource or subresource. */
export interface AccessRule {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly verbs: readonly string[];
  /** Only on objects with these names. */
  readonly names?: readonly string[] | undefined;
  /** Only in this namespace; undefined for all namespaces. */
  readonly namespace?: string | undefined;
}

/** Returns the minimal RBAC rules for a controller, derived from its definition. */
export function accessOf({ definition }: Controller): readonly AccessRule[] {
  const { for: primary, select = {}, owns = {}, watches = {}, access = [], finalizer, ownership } = definition;
  const isWriting = writesStatus(definition);
  const { namespace } = select;
  const rules: AccessRule[] = [
    ruleOf(primary, { verbs: ["list", "watch", ...(isWriting || finalizer !== undefined ? ["get"] : [])], namespace }),
  ];
  const kinds = Object.values(owns);
  const hasInventory = kinds.some(isManaged) && ownership?.inventory !== false;
  if (finalizer !== undefined || hasInventory) rules.push(ruleOf(primary, { verbs: ["get", "patch"], namespace }));
  if (isWriting) rules.push(ruleOf(primary, { verbs: ["patch"], subresource: "status", namespace }));
  // The admission plugin OwnerReferencesPermissionEnforcement requires this permission for setting blockOwnerDeletion, where it is enabled.
  if (kinds.length > 0) rules.push(ruleOf(primary, { verbs: ["update"], subresource: "finalizers", namespace }));
  for (const kind of kinds) {
    rules.push(ruleOf(kind.type, { verbs: ownedVerbs(kind), namespace: kind.select.namespace }));
  }
  for (const { type, select: chosen } of Object.values(watches)) {
    const names = selectedNames(chosen.fields?.toString());
    rules.push(ruleOf(type, { verbs: ["list", "watch"], namespace: chosen.namespace, ...(names && { names }) }));
  }
  for (const { type, ...needed } of access) rules.push(ruleOf(type, needed));
  return mergeRules(rules);
}

/**
 * Returns the name that a field selector requires, as a list; undefined if it requires none. kube-apiserver authorizes a list or watch
 * with such a selector like a request for that object, so that a rule with `resourceNames` allows it.
 */
function selectedNames(fields = ""): readonly string[] | undefined {
  const [, name] = /(?:^|,)metadata\.name==?([^=,]+)(?:,|$)/.exec(fields) ?? [];
  return name === undefined ? undefined : [name];
}

/** Reports whether a controller writes the status of its objects: as its definition states, else if the kind declares a status. */
export function writesStatus({ for: type, writesStatus: explicit }: Controller["definition"]): boolean {
  return explicit ?? ("hasStatus" in type && type.hasStatus === true);
}

/** Merges rules for the same resource, names and namespace. The verbs of each merged rule are unique and sorted. */
export function mergeRules(rules: readonly AccessRule[]): readonly AccessRule[] {
  const merged = new Map<string, AccessRule>();
  for (const { verbs, ...scope } of rules) {
    const key = JSON.stringify([scope.group, scope.resource, scope.subresource, scope.names, scope.namespace]);
    const all = new Set([...(merged.get(key)?.verbs ?? []), ...verbs]);
    merged.set(key, { ...scope, verbs: [...all].toSorted() });
  }
  return [...merged.values()];
}

/** Returns the verbs for an owned kind. `get` is needed to read the live object when a create finds that the name is taken. */
function ownedVerbs(kind: OwnedKind): readonly string[] {
  if (isManaged(kind) && kind.rules.retired) return ["list", "get", "delete"];
  const isCached = !isManaged(kind) || kind.rules.cached;
  return [
    ...(isCached ? ["list", "watch"] : []),
    "get",
    "create",
    ...(kind.mode === "created" ? [] : ["patch"]),
    ...(kind.deletes ? ["delete"] : []),
  ];
}

function ruleOf(
  { group, plural }: Pick<ResourceType, "group" | "plural">,
  {
    verbs,
    subresource,
    names,
    namespace,
  }: Omit<AccessDefinition, "type" | "namespace"> & { namespace?: string | undefined },
): AccessRule {
  return {
    group,
    resource: plural,
    verbs,
    ...(subresource === undefined ? {} : { subresource }),
    ...(names === undefined ? {} : { names }),
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
  };
}
