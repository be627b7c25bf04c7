import { type AccessDefinition, type Controller, defineController, when } from "homeostat";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { fieldManager, finalizers, keyPrefix } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { Sandbox } from "../api/sandbox.ts";
import { configChanges, type FollowConfig } from "../observe/config-changes.ts";
import { indexes, owns, ownership, sandboxWatches } from "../observe/kinds.ts";
import { cleanup } from "./sandbox-cleanup.ts";
import type { Dependencies } from "./sandbox-context.ts";
import { reconcile } from "./sandbox-reconcile.ts";

export interface SandboxControllerOptions extends Dependencies {
  readonly followConfig: FollowConfig;
  readonly concurrency: number;
}

/** Defines the controller of sandboxes. */
export function sandboxController({
  concurrency,
  followConfig,
  ...dependencies
}: SandboxControllerOptions): Controller {
  const { metrics, feed, confirmedRoutes } = dependencies;
  return defineController({
    name: "sandbox",
    for: Sandbox,
    indexes,
    owns,
    ownership,
    watches: sandboxWatches(feed),
    sources: [
      {
        name: "compiled sandboxes",
        open: (signal: AbortSignal) => feed().follow("sandboxes", signal),
        map: (keys: readonly string[]) => keys,
      },
      configChanges(followConfig, Sandbox),
    ],
    access,
    finalizer: finalizers.sandbox,
    fieldManager,
    concurrency,
    metrics: {
      register: (registry) => metrics.register(registry),
      clear() {
        metrics.clear();
        confirmedRoutes.clear();
      },
    },
    retry: { baseMs: 1_000, capMs: 300_000, perSecond: 10, burst: 100 },
    // Other status changes are written by this controller and trigger no reconcile.
    when: when.changed(
      ({ metadata: { uid, generation, labels, deletionTimestamp, finalizers: own, annotations = {} } }) => [
        uid,
        generation,
        labels,
        deletionTimestamp,
        own,
        Object.entries(annotations).filter(([key]) => key.startsWith(keyPrefix)),
      ],
    ),
    async reconcile(context) {
      return reconcile(context, dependencies);
    },
    async cleanup(context) {
      return cleanup(context, dependencies);
    },
  });
}

/** Permissions of the client in addition to those derived from `owns` and `watches`. */
const access: readonly AccessDefinition[] = [
  { type: Secret, verbs: ["get", "create", "delete"] },
  { type: LocalWorkload, verbs: ["delete"] },
  { type: Sandbox, verbs: ["delete"] },
];
