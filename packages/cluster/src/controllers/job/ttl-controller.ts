import { type DeepReadonly, parseTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { type Controller, defineController } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import type { WorkloadParts } from "../pods/parts.ts";

/** Builds the controller that deletes finished Jobs after `ttlSecondsAfterFinished`. */
export function jobTtlController({ clock }: WorkloadParts): Controller {
  return defineController({
    name: "ttl-after-finished",
    for: Job,
    fieldManager,
    concurrency: 5,
    writesStatus: false,
    when: ({ object }) => expiresAt(object) !== undefined,
    access: [{ type: Job, verbs: ["get", "delete"] }],
    async reconcile({ object, name, namespace, client, signal }) {
      const at = expiresAt(object);
      if (at === undefined) return {};
      const leftMs = at - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      // The user may have extended the TTL; the cache may not show it yet.
      const fresh = await client.get(Job, { name, namespace }, { signal });
      if (fresh === undefined || (expiresAt(fresh) ?? Infinity) > clock.now()) return {};
      const { uid } = object.metadata;
      await client.delete(Job, { name, namespace }, { propagation: "Foreground", preconditions: { uid }, signal });
      return {};
    },
  });
}

/** Returns when a Job expires, in milliseconds since the epoch; undefined when it does not. */
export function expiresAt({ spec, status }: DeepReadonly<Job>): number | undefined {
  if (spec?.ttlSecondsAfterFinished === undefined) return undefined;
  const end = status?.conditions?.find(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );
  if (end?.lastTransitionTime === undefined) return undefined;
  return parseTime(end.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
}
