import type { Action } from "./action.ts";

/** Actions of all kinds. Each operator's actions are in a file of this folder. */
const actions: readonly Action[] = [];

/** Returns the actions of a kind. */
export function actionsOf({ group, kind }: Pick<Action, "group" | "kind">): readonly Action[] {
  return actions.filter((action) => action.group === group && action.kind === kind);
}
