import { formatTime } from "@homeostat/core";
import { conditions } from "../status/conditions.ts";
import { events, type ObjectTitle } from "./events.ts";
import type { MissingStep } from "../decide/missing.ts";
import type { Next, Pass } from "./scope.ts";

const soonMs = 1_000;
const laterMs = 5_000;

/**
 * Takes a running test back to Pending, so that the next pass makes what is missing.
 *
 * A new master knows nothing of the workers of the old one: they go first, so that both start again together, wherever this is
 * interrupted.
 */
export async function recover(pass: Pass, { missing, isMasterLost }: MissingStep & { do: "recover" }): Promise<Next> {
  const { log, owned, name } = pass.context;
  await pass.confirm();
  if (isMasterLost) await owned.jobs.delete(pass.nodeName("worker"));
  pass.say({
    fields: { phase: "Pending", jobsSince: formatTime(pass.now) },
    conditions: { Ready: conditions.Ready.recreating },
  });
  try {
    await pass.save("Failed to update status from Jobs");
  } catch (error) {
    // Nothing but time can help: the next pass finds the same.
    if (pass.context.signal.aborted) throw error;
    return { requeueAfterMs: laterMs };
  }
  for (const title of missing) {
    const object = nameOf(pass, title);
    pass.event(events.resourceDeleted(title, object));
    log.info(`${title} externally deleted, transitioning to Pending for recovery`, { name: object });
  }
  log.info("Phase transition", { from: "Running", to: "Pending", locustTest: name });
  return { requeueAfterMs: soonMs };
}

function nameOf(pass: Pass, title: ObjectTitle): string {
  return pass.nodeName(title === "Worker Job" ? "worker" : "master");
}
