import { type Controller, defineController, source, when } from "homeostat";
import { LocustTest } from "../api/locust-test.ts";
import { finalizer } from "../api/names.ts";
import { owns, watches } from "../observe/kinds.ts";
import { cleanup } from "./cleanup.ts";
import { reconcile } from "./reconcile.ts";
import type { Dependencies } from "./scope.ts";

/** Defines the controller of load tests. */
export function locustTests(dependencies: Dependencies): Controller {
  const { settings, live } = dependencies;
  return defineController({
    name: "locusttest",
    for: LocustTest,
    reportingController: "locusttest-controller",
    owns,
    watches,
    sources: [
      source({
        name: "live-stats",
        open: (signal) => live().listen(signal),
        // With watched namespaces there is one controller per namespace. Only the one whose cache has the test enqueues the key.
        map: (key, cache) => (cache.get(LocustTest, key) === undefined ? [] : [key]),
      }),
    ],
    finalizer,
    concurrency: settings.maxConcurrentReconciles,
    retry: { baseMs: 5, capMs: 960_000 },
    // The status and managed fields are not in the list: their changes are writes of this controller and need no reconcile.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, annotations, labels, finalizers } }) => [
      uid,
      generation,
      deletionTimestamp,
      annotations,
      labels,
      finalizers,
    ]),
    reconcile: async (context) => reconcile(context, dependencies),
    cleanup: async (context) => cleanup(context, dependencies),
  });
}
