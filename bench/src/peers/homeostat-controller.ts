import type { KubeObject, ResourceType } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { type Controller, created, defineController } from "@homeostat/runtime";
import { type RuntimeOptions, emit } from "./homeostat-protocol.ts";
import { now } from "./time.ts";
import { group } from "./widget.ts";

const childrenPerWidget = 3;

/** The fields of the benchmark's custom resource that a runtime uses. */
export interface Widget extends KubeObject {
  readonly spec: { readonly sequence: number };
  readonly status?: { readonly phase?: string; readonly observedGeneration?: number; readonly children?: number };
}

export const Widget: ResourceType<Widget> = {
  group,
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

let runs = 0;

/** Returns the number of reconciles so far. */
export function reconciles(): number {
  return runs;
}

/** Builds a controller that reports changes and does nothing else. */
export function watchingController({ namespace, workers }: RuntimeOptions): Controller {
  return defineController({
    for: Widget,
    ...(namespace === undefined ? {} : { select: { namespace } }),
    concurrency: workers,
    async reconcile({ object }) {
      runs += 1;
      const { sequence } = object.spec;
      if (sequence > 0) emit({ event: "reconciled", at: now(), name: object.metadata.name, sequence });
    },
  });
}

/** Builds a controller that creates the children of every Widget and updates its status. */
export function childrenController({ namespace, workers }: RuntimeOptions): Controller {
  const select = namespace === undefined ? {} : { namespace };
  return defineController({
    for: Widget,
    select,
    owns: { children: created(ConfigMap, select) },
    writesStatus: true,
    concurrency: workers,
    async reconcile({ object, owned, setStatus, saveStatus }) {
      runs += 1;
      const { name, generation = 0 } = object.metadata;
      for (let i = 0; i < childrenPerWidget; i += 1) {
        await owned.children.create({
          metadata: { name: `${name}-${i}`, labels: { [`${group}/widget`]: name } },
          data: { widget: name },
        });
      }
      const isReady = object.status?.phase === "Ready" && object.status.observedGeneration === generation;
      setStatus({ phase: "Ready", observedGeneration: generation, children: childrenPerWidget });
      await saveStatus();
      if (!isReady) emit({ event: "ready", at: now(), name });
    },
  });
}
