import { type Controller, defineController, when } from "@homeostat/runtime";
import { finalizer } from "../api/identity.ts";
import { LocustTest } from "../api/locust-test.ts";
import { owns, watches } from "./kinds.ts";
import type { Parts } from "./scope.ts";
import { cleanUp, reconcile } from "./reconcile.ts";

/** The controller of load tests. */
export function locustTests(parts: Parts): Controller {
  const { config, live } = parts;
  return defineController({
    name: "locusttest",
    for: LocustTest,
    reportingController: "locusttest-controller",
    owns,
    watches,
    sources: [live.source],
    finalizer,
    concurrency: config.maxConcurrentReconciles,
    retry: { baseMs: 5, capMs: 960_000 },
    // Nothing but the status, or who wrote what: that is our own doing.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, annotations, labels, finalizers } }) => [
      uid,
      generation,
      deletionTimestamp,
      annotations,
      labels,
      finalizers,
    ]),
    async reconcile(context) {
      return reconcile(context, parts);
    },
    async cleanup(context) {
      return cleanUp(context, parts);
    },
  });
}
