// One reconcile without a controller, to test its writes on an API server.

import type { Client } from "@homeostat/client";
import { asStored, type KubeObject, type ResourceType, systemClock, systemRandom } from "@homeostat/core";
import { type Cache, silentLogger, type WriteNote } from "@homeostat/runtime";
import {
  ApplyMemory,
  HotLoops,
  type OwnedInformer,
  recordedClient,
  type ReconcileScope,
  watchForLoops,
  type WriteReport,
} from "@homeostat/runtime/internal";
import { installKind } from "../../../harness/install-kind.ts";

/** The owner of other objects in this suite. */
export interface Box extends KubeObject {
  spec?: { size?: number };
  status?: {
    phase?: string;
    note?: string;
    conditions?: {
      type: string;
      status: string;
      reason: string;
      message: string;
      lastTransitionTime: string;
      observedGeneration?: number;
    }[];
  };
}

export const Box: ResourceType<Box> = {
  group: "writes.example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  scope: "Namespaced",
};

/** Installs the kind and waits until the API server serves it. */
export async function installBox(client: Client): Promise<void> {
  await installKind(client, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.writes.example.com" },
    spec: {
      group: Box.group,
      scope: "Namespaced",
      names: { plural: Box.plural, kind: Box.kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: { type: "integer" } } },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
    },
  });
}

/** Writes and reports of one reconcile. */
export interface Run {
  readonly scope: ReconcileScope<Box>;
  readonly notes: WriteNote[];
  readonly reports: WriteReport[];
}

/** State that outlives a reconcile. */
export interface RunParts {
  readonly client: Client;
  readonly cache: Cache;
  readonly informers: readonly (readonly [ResourceType, OwnedInformer])[];
  readonly memory?: ApplyMemory;
  readonly hotLoops?: HotLoops;
}

/** Starts a reconcile for a box. */
export function begin(box: Box, parts: RunParts): Run {
  const { client, cache, informers } = parts;
  const notes: WriteNote[] = [];
  const reports: WriteReport[] = [];
  const key = `${box.metadata.namespace}/${box.metadata.name}`;
  const hotLoops = parts.hotLoops ?? new HotLoops({ clock: systemClock });
  const report = (news: WriteReport): void => void reports.push(news);
  const journal = { wrote: (note: WriteNote): void => void notes.push(note) };
  const recorded = recordedClient(client, {
    cache,
    writer: `boxes ${key}`,
    journal,
    clock: systemClock,
    random: systemRandom,
    before: (type, name) => informers.find(([known]) => known === type)?.[1].get(name),
    onChange: watchForLoops({ key, object: asStored(box), type: Box, hotLoops, log: silentLogger, report }),
  });
  const scope: ReconcileScope<Box> = {
    object: asStored(box),
    type: Box,
    key,
    fieldManager: "boxes",
    client: recorded,
    journal,
    memory: parts.memory ?? new ApplyMemory(),
    hotLoops,
    signal: new AbortController().signal,
    log: silentLogger,
    clock: systemClock,
    serverClock: systemClock,
    random: systemRandom,
    report,
  };
  return { scope, notes, reports };
}
