import { combineStatusPlans } from "homeostat";
import { annotations } from "../api/names.ts";
import { decideRerun, nextRun } from "../decide/rerun.ts";
import { initialStatus } from "../status/plans.ts";
import { events } from "./events.ts";
import type { Next, TestScope } from "./scope.ts";

/** Takes the next step towards another run, if one is requested. Returns when to continue while old Jobs are being deleted. */
export async function rerunIfRequested(scope: TestScope): Promise<Next> {
  const { status, test, now } = scope;
  const { owned } = scope.context;
  const { annotations: given = {} } = test.metadata;
  const names = [scope.nodeName("worker"), scope.nodeName("master")];
  const hasJobs = names.some((name) => owned.jobs.get(name) !== undefined);
  const step = decideRerun({ status, token: given[annotations.rerun], hasJobs });
  switch (step.type) {
    case "none":
      return undefined;
    case "refuse":
      // Recorded, so that it is reported once and does not start a run when this one has ended.
      scope.setStatus({ fields: { lastRerunToken: step.token } });
      await scope.save("update status from Jobs");
      scope.event(events.rerunRefused);
      return undefined;
    case "clear":
      await scope.confirm();
      for (const name of names) await owned.jobs.delete(name, { propagation: "Background" });
      return { requeueAfterMs: step.pauseMs };
    case "start": {
      scope.live.forget(scope.context.key);
      const next = nextRun(status, step.token);
      const initial = initialStatus({ replicas: test.spec.worker.replicas, run: next.run, now });
      const fields = { ...next, ignoredStop: given[annotations.stop] };
      scope.setStatus(combineStatusPlans(initial, { fields, conditions: {} }));
      await scope.save("initialize status");
      scope.event(events.rerunStarted(next.run));
      return undefined;
    }
  }
}
