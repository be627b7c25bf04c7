import type { Action } from "./action.ts";
import { chronikActions } from "./chronik-actions.ts";
import { locustActions } from "./locust-actions.ts";
import { sandboxActions } from "./sandbox-actions.ts";
import { tenantActions } from "./tenant-actions.ts";

/** Actions of all kinds. Each operator's actions are in a file of this folder. */
const actions: readonly Action[] = [...chronikActions, ...locustActions, ...sandboxActions, ...tenantActions];

/** Returns the actions of a kind. */
export function actionsOf({ group, kind }: Pick<Action, "group" | "kind">): readonly Action[] {
  return actions.filter((action) => action.group === group && action.kind === kind);
}
