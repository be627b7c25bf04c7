// Actions of streaming clusters.

import { isRecord, ownValue } from "@homeostat/core";
import { recordIn } from "../health/fields.ts";
import type { Action } from "./action.ts";

const kind = { group: "chronik.stream", kind: "ChronikCluster" } as const;

/** Annotation that restarts all pods once, under the gates of a rolling update, if its text is new. */
export const restartAnnotation = "chronik.stream/restart";

function isPaused(object: unknown): boolean {
  const spec = recordIn(object, "spec");
  return isRecord(spec) && ownValue(spec, "paused") === true;
}

const isDeleting = ({
  metadata,
}: {
  readonly metadata: { readonly deletionTimestamp?: string | undefined };
}): boolean => metadata.deletionTimestamp !== undefined;

export const chronikActions: readonly Action[] = [
  {
    ...kind,
    name: "pause",
    label: "Pause",
    description:
      "The operator changes nothing but the status. Members keep running; a rollout stops after the present pod.",
    isDangerous: true,
    isOffered: (object) => !isDeleting(object) && !isPaused(object),
    patch: () => ({ patch: { spec: { paused: true } } }),
  },
  {
    ...kind,
    name: "resume",
    label: "Resume",
    description: "The operator reconciles the cluster again and continues a rollout.",
    isOffered: (object) => !isDeleting(object) && isPaused(object),
    patch: () => ({ patch: { spec: { paused: false } } }),
  },
  {
    ...kind,
    name: "restart",
    label: "Restart members",
    description: "Restarts all pods once, one after another, under the gates of a rolling update.",
    isDangerous: true,
    isOffered: (object) => !isDeleting(object) && !isPaused(object),
    patch: (_object, { nowMs }) => ({
      patch: { metadata: { annotations: { [restartAnnotation]: new Date(nowMs).toISOString() } } },
    }),
  },
];
