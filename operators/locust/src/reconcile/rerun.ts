import { annotations } from "../api/identity.ts";
import { decideRerun, nextRun } from "../decide/rerun.ts";
import { combined } from "../status/plan.ts";
import { initialStatus } from "../status/initial.ts";
import { events } from "./events.ts";
import { leave } from "./finish.ts";
import type { Next, Pass } from "./scope.ts";
import { thawed } from "./thawed.ts";
import type { LocustTestStatus } from "../api/locust-test.ts";

/** How a wish for another run stands. */
export type Rerun =
  | { readonly is: "not wanted" }
  /** What the last run has left is on its way out. */
  | { readonly is: "waiting"; readonly next: Next }
  /** The test is Pending again. */
  | { readonly is: "begun" };

/** Takes a test that is to be run again one step further: 21.6. */
export async function rerun(pass: Pass): Promise<Rerun> {
  const { owned } = pass.context;
  const { annotations: given = {} } = pass.test.metadata;
  const status = thawed<LocustTestStatus>(pass.status);
  const names = [pass.nodeName("worker"), pass.nodeName("master")];
  const hasJobs = names.some((name) => owned.jobs.get(name) !== undefined);
  const step = decideRerun({ status, token: given[annotations.rerun], hasJobs });
  switch (step.type) {
    case "nothing":
      return { is: "not wanted" };
    case "refuse":
      // Taken note of, so that it is told once, and does not start a run when this one is over.
      pass.say({ fields: { lastRerunToken: step.token }, conditions: {} });
      await pass.save("Failed to update status from Jobs");
      pass.event(events.rerunRefused);
      return { is: "not wanted" };
    case "clear":
      await pass.confirm();
      for (const name of names) await owned.jobs.delete(name, { propagation: "Background" });
      return { is: "waiting", next: { requeueAfterMs: step.pauseMs } };
    case "start": {
      leave(pass);
      const next = nextRun(status, step.token);
      const fresh = initialStatus({ replicas: pass.test.spec.worker.replicas, run: next.run, now: pass.now });
      pass.say(combined(fresh, { fields: { ...next, ignoredStop: given[annotations.stop] }, conditions: {} }));
      await pass.save("Failed to initialize status");
      pass.event(events.rerunStarted(next.run));
      return { is: "begun" };
    }
  }
}
