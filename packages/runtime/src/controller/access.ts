import type { ResourceType } from "@homeostat/core";
import type { AccessDefinition, Controller } from "./definition.ts";
import { isManaged, type OwnedKind } from "./kinds.ts";

/** Verbs on one resource that a program needs. */
export interface AccessRule {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly verbs: readonly string[];
  /** Only on objects with these names. */
  readonly names?: readonly string[] | undefined;
  /** Only in this namespace; undefined for everywhere. */
  readonly namespace?: string | undefined;
}

/** What a controller needs to be allowed to do, no less and no more. */
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
  // Where the API server enforces it, setting an owner whose deletion waits for the object needs this right on the owner.
  if (kinds.length > 0) rules.push(ruleOf(primary, { verbs: ["update"], subresource: "finalizers", namespace }));
  for (const kind of kinds) {
    rules.push(ruleOf(kind.type, { verbs: ownedVerbs(kind), namespace: kind.select.namespace }));
  }
  for (const { type, select: chosen } of Object.values(watches)) {
    rules.push(ruleOf(type, { verbs: ["list", "watch"], namespace: chosen.namespace }));
  }
  for (const { type, ...needed } of access) rules.push(ruleOf(type, needed));
  return mergeRules(rules);
}

/** Whether a controller writes the status of its objects. */
export function writesStatus({ for: type, writesStatus: isTold }: Controller["definition"]): boolean {
  return isTold ?? ("hasStatus" in type && type.hasStatus === true);
}

/** Brings the verbs of equal places together, each once, in the order of the alphabet. */
export function mergeRules(rules: readonly AccessRule[]): readonly AccessRule[] {
  const merged = new Map<string, AccessRule>();
  for (const { verbs, ...place } of rules) {
    const key = JSON.stringify([place.group, place.resource, place.subresource, place.names, place.namespace]);
    const all = new Set([...(merged.get(key)?.verbs ?? []), ...verbs]);
    merged.set(key, { ...place, verbs: [...all].toSorted() });
  }
  return [...merged.values()];
}

/** Reading by name is for the moment when something of that name turns out to be there already. */
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
