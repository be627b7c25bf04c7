import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Component } from "../api/identity.ts";
import type { Decisions } from "../build/desired-objects.ts";
import { resolveCluster } from "../build/resolve.ts";
import type { ChronikSettings, ResolveSettings } from "../settings/settings.ts";
import { decisionsFor, slotFor } from "../testing/build-cases.ts";
import { clusterWith } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { objectsToApply, type ObjectsToApply } from "./objects.ts";

const cluster = clusterWith({
  searchNodes: 2,
  membership: "Static",
  antiAffinity: "required",
  network: { networkPolicy: true, externalAccess: true, serviceType: "LoadBalancer" },
});

/** Returns the objects of the same cluster with other settings, decisions or held components. */
function objectsWith({
  settings = {},
  decisions = {},
  held = [],
}: {
  readonly settings?: Partial<ResolveSettings>;
  readonly decisions?: Partial<Decisions>;
  readonly held?: readonly Component[];
} = {}): ObjectsToApply {
  const all: ChronikSettings = { ...defaultSettings, ...settings };
  const resolved = resolveCluster(cluster, all);
  const input = { decisions: decisionsFor(resolved, decisions), held: new Set(held) };
  return objectsToApply({ resolved, settings: all }, input);
}

/** Checks that a change leads to other objects, and to other inputs. */
function assertDiffers(changed: ObjectsToApply): void {
  const original = objectsWith();
  assert.notDeepEqual(changed.build(), original.build());
  assert.notEqual(changed.inputs, original.inputs);
}

/** One change per decision. A new decision needs an entry. */
const changes: Readonly<Required<{ [K in keyof Decisions]: Pick<Decisions, K> }>> = {
  members: { members: { controller: 5, ingest: 3 } },
  secretHashes: { secretHashes: { ingest: "other" } },
  zones: { zones: 3 },
  isBootstrapped: { isBootstrapped: false },
  membership: { membership: { epoch: 2, voters: [0, 1, 2], target: 3 } },
  externalAddresses: { externalAddresses: { 1: "192.0.2.1:9092" } },
  replicas: { replicas: { controller: 3, ingest: 4, search: 2 } },
  claimSizes: { claimSizes: { ingest: "99Gi" } },
  externalOrdinals: { externalOrdinals: [0, 1, 2, 3] },
  search: {
    search: {
      deployments: [{ color: undefined, replicas: 2 }],
      selected: { color: undefined },
      slots: [slotFor(0), slotFor(1, "10.0.0.99")],
    },
  },
};

const settingChanges: Readonly<Required<{ [K in keyof ResolveSettings]: Pick<ResolveSettings, K> }>> = {
  operatorNamespace: { operatorNamespace: "elsewhere" },
  clusterDomain: { clusterDomain: "example.test" },
  defaultControllerImage: { defaultControllerImage: "mirror/controller" },
  defaultIngestImage: { defaultIngestImage: "mirror/ingest" },
  defaultSearchImage: { defaultSearchImage: "mirror/search" },
};

describe("the inputs of desired objects", () => {
  it("are the same for the same cluster, settings and decisions", () => {
    assert.equal(objectsWith().inputs, objectsWith().inputs);
    assert.deepEqual(objectsWith().build(), objectsWith().build());
  });

  for (const [name, decisions] of Object.entries(changes))
    it(`change with the decision ${name}`, () => assertDiffers(objectsWith({ decisions })));

  for (const [name, settings] of Object.entries(settingChanges))
    it(`change with the setting ${name}`, () => assertDiffers(objectsWith({ settings })));

  it("change with the components whose workloads are held", () => {
    for (const component of ["controller", "ingest", "search"] as const)
      assertDiffers(objectsWith({ held: [component] }));
  });
});
