import { invalid, type Refusal } from "../refusal.ts";
import { type AnyBinding, rbacGroup } from "./objects.ts";

/**
 * Refuses a change of the roleRef of a binding, which is immutable; undefined if it is unchanged. Users must recreate
 * the binding instead.
 */
export function checkRoleRef(previous: AnyBinding, next: AnyBinding): Refusal | undefined {
  const [before, after] = [previous.roleRef, next.roleRef].map(({ apiGroup = "", kind, name }) =>
    JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name }),
  );
  if (before === after || after === undefined) return undefined;
  return invalid({ group: rbacGroup, resource: next.kind, name: next.metadata.name ?? "" }, [
    { field: "roleRef", type: "Invalid", shown: after, detail: "cannot change roleRef" },
  ]);
}
