import type { Discovery } from "@homeostat/client";
import type { Prerequisites, MissingKind } from "./prerequisites.ts";

/** Verbs on objects. Other verbs (`impersonate`, `approve`, `use`) may refer to resources that discovery does not list. */
const objectVerbs: ReadonlySet<string> = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/** Returns the required kinds that the API server does not serve. Kinds of groups whose discovery failed count as served. */
export function missingKinds({ access, kinds = [] }: Prerequisites, discovery: Discovery): readonly MissingKind[] {
  const missing = new Map<string, MissingKind>();
  const note = (kind: MissingKind): void => void missing.set(JSON.stringify(kind), kind);
  for (const { group, version, plural } of kinds) {
    if (!isKnown(discovery, group)) continue;
    const isServed = discovery.resources.some(
      (found) => found.group === group && found.version === version && found.plural === plural,
    );
    if (!isServed) note({ group, resource: plural, version });
  }
  for (const { group, resource, subresource, verbs } of access) {
    if (group === "*" || resource === "*" || subresource === "*") continue;
    if (!verbs.some((verb) => objectVerbs.has(verb)) || !isKnown(discovery, group)) continue;
    const found = discovery.resources.filter((kind) => kind.group === group && kind.plural === resource);
    const isNamedAlready = kinds.some((kind) => kind.group === group && kind.plural === resource);
    if (found.length === 0 && !isNamedAlready) note({ group, resource });
    const isPartServed =
      subresource === undefined || found.some(({ subresources }) => subresources.includes(subresource));
    if (found.length > 0 && !isPartServed) note({ group, resource, subresource });
  }
  return [...missing.values()];
}

/** Reports whether the discovery of a group succeeded. */
function isKnown({ failures }: Discovery, group: string): boolean {
  return ![...failures.keys()].some((apiVersion) => apiVersion.split("/", 1)[0] === group);
}
