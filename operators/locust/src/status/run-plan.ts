import type { EffectiveArguments } from "../build/effective-arguments.ts";
import type { RunPlan } from "./progress.ts";

/** What a master was told about its run. Without a number of users it has one, when it starts by itself. */
export function planOf(
  { users, runTime, unknown }: Pick<EffectiveArguments, "users" | "runTime" | "unknown">,
  { isAutomatic }: { readonly isAutomatic: boolean },
): RunPlan {
  const usersOtherwise = isAutomatic && !unknown.has("users") ? 1 : undefined;
  return { targetUsers: users !== undefined && users > 0 ? users : usersOtherwise, runTimeSeconds: runTime };
}
