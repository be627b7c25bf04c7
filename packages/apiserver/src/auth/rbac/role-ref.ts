import { invalid, type Refusal } from "../refusal.ts";
import { type AnyBinding, rbacGroup } from "./objects.ts";

/** Refuses to lead a binding to another role; undefined when it stays. Who wants that deletes it and makes a new one. */
export function checkRoleRef(previous: AnyBinding, next: AnyBinding): Refusal | undefined {
  const [before, after] = [previous.roleRef, next.roleRef].map(({ apiGroup = "", kind, name }) =>
    JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name }),
  );
  if (before === after || after === undefined) return undefined;
  return invalid({ group: rbacGroup, resource: next.kind, name: next.metadata.name ?? "" }, [
    { field: "roleRef", type: "Invalid", shown: after, detail: "cannot change roleRef" },
  ]);
}
