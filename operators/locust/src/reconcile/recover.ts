import type { MissingStep } from "../decide/missing.ts";
import { conditions } from "../status/conditions.ts";
import { mayHaveJobs } from "../status/plans.ts";
import { events } from "./events.ts";
import type { Next, TestScope } from "./scope.ts";

const createInMs = 1_000;
const retryInMs = 5_000;

/**
 * Returns a running test to Pending, so that the next reconcile recreates the missing objects.
 *
 * A new master does not know the workers of the old one. They are deleted first, so that both Jobs restart together even if the
 * operator crashes between the two writes.
 */
export async function recover(
  scope: TestScope,
  { missing, isMasterLost }: MissingStep & { readonly type: "recover" },
): Promise<Next> {
  const { log, owned, name, signal } = scope.context;
  await scope.confirm();
  if (isMasterLost) await owned.jobs.delete(scope.nodeName("worker"));
  scope.setStatus({
    fields: { phase: "Pending", ...mayHaveJobs(scope.now) },
    conditions: { Ready: conditions.Ready.recreating },
  });
  try {
    await scope.save("update status from Jobs");
  } catch (error) {
    if (signal.aborted) throw error;
    log.error("Failed to update status from Jobs", { error });
    return { requeueAfterMs: retryInMs };
  }
  for (const title of missing) {
    const object = scope.nodeName(title === "Worker Job" ? "worker" : "master");
    scope.event(events.resourceDeleted(title, object));
    log.info("Resource deleted externally, returning to Pending", { resource: title, name: object });
  }
  log.info("Phase transition", { from: "Running", to: "Pending", locustTest: name });
  return { requeueAfterMs: createInMs };
}
