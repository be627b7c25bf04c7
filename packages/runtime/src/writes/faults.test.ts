// Crashes between any two requests, and lost responses: after a fault in one reconcile, the next one reaches the same state as
// without the fault, and no object is created twice.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type KubeObject } from "@homeostat/core";
import { applied, created } from "../kinds/kinds.ts";
import { apiWithBox, Bench, Box, ConfigMap, settled, otherClient } from "../testing/writes-bench.ts";
import type { AnyObject, FakeApi, Fault } from "../testing/writes-api.ts";
import { ensureFinalizer, releaseFinalizer } from "./finalizer.ts";
import { ownedHandle } from "./owned-handle.ts";
import type { ReconcileScope } from "./reconcile-scope.ts";
import { StatusDraft } from "./status-draft.ts";
import { writeStatus } from "./write-status.ts";

type Operation = (scope: ReconcileScope<Box>, bench: Bench) => Promise<unknown>;

const kind = applied(ConfigMap, { deletes: true });
const made = created(ConfigMap, { deletes: true });

const status: Operation = async (scope, { clock }) => {
  const draft = new StatusDraft<Box>(scope.object);
  draft.set({ phase: "Ready" });
  draft.setCondition("Ready", { status: true, reason: "AllThere" }, clock.now());
  await writeStatus(scope, draft);
};

const apply: Operation = async (scope, { configMaps }) => {
  const handle = ownedHandle(kind, { ...scope, informer: configMaps });
  for (const name of ["one", "two"]) await handle.apply({ metadata: { name }, data: { a: "1" } });
};

/** Creates the objects that exist before the first reconcile. */
const nothing: Operation = async () => Promise.resolve();

const operations: Readonly<Record<string, readonly [Operation, Operation]>> = {
  apply: [nothing, apply],
  create: [
    nothing,
    async (scope, { configMaps }) => {
      const handle = ownedHandle(made, { ...scope, informer: configMaps });
      for (const name of ["one", "two"]) await handle.create({ metadata: { name }, data: { a: "1" } });
    },
  ],
  "apply with drift": [
    async (scope, { api, configMaps }) => {
      const handle = ownedHandle(kind, { ...scope, informer: configMaps });
      for (const name of ["one", "two"]) await handle.apply({ metadata: { name }, data: { a: "0", b: "0" } });
      await otherClient(api).patch(ConfigMap, { namespace: "default", name: "two" }, { merge: { data: { a: "3" } } });
    },
    apply,
  ],
  "apply and prune": [
    apply,
    async (scope, { configMaps }) => {
      const handle = ownedHandle(kind, { ...scope, informer: configMaps });
      await handle.apply({ metadata: { name: "kept" }, data: { a: "1" } });
      await handle.prune();
    },
  ],
  status: [nothing, status],
  "a status that another client has changed": [
    nothing,
    async (scope, bench) => {
      await status(
        { ...scope, object: { ...scope.object, metadata: { ...scope.object.metadata, resourceVersion: "1" } } },
        bench,
      );
    },
  ],
  "add a finalizer": [nothing, async (scope) => ensureFinalizer(scope, "example.com/b")],
  "release a finalizer": [
    async (scope) => {
      const first = await ensureFinalizer(scope, "example.com/a");
      assert.ok(first.result === "held");
      await ensureFinalizer({ ...scope, object: first.object }, "example.com/b");
    },
    async (scope) => releaseFinalizer(scope, "example.com/b"),
  ],
  "complete a deletion": [
    async (scope, { api }) => {
      await ensureFinalizer(scope, "example.com/b");
      await otherClient(api).delete(Box, { namespace: "default", name: "a" });
    },
    async (scope) => releaseFinalizer(scope, "example.com/b"),
  ],
  "a whole reconcile": [
    nothing,
    async (scope, bench) => {
      const held = await ensureFinalizer(scope, "example.com/b");
      if (held.result !== "held") return;
      await apply({ ...scope, object: held.object }, bench);
      await status({ ...scope, object: held.object }, bench);
    },
  ],
};

const faults: readonly Fault[] = ["cut before", "cut after", "failed before", "failed after"];

describe("a fault at any request", () => {
  for (const [name, [setup, operation]] of Object.entries(operations)) {
    it(`is corrected by the next reconcile: ${name}`, async () => {
      const prepare = async (): Promise<FakeApi> => {
        const api = await apiWithBox();
        await perform(setup, new Bench(api));
        api.requests.length = 0;
        api.changes.length = 0;
        return api;
      };
      const expected = await prepare();
      await perform(operation, new Bench(expected));
      const requests = [...expected.requests];

      for (const [number, request] of requests.entries()) {
        for (const fault of faults) {
          for (const isLagging of [false, true]) {
            const context = `${fault} at request ${number} (${request}), lagging: ${isLagging}`;
            const api = await prepare();
            const stale = new Bench(api);
            api.fault = (at) => (at === number ? fault : undefined);

            await assert.rejects(perform(operation, new Bench(api)), `${context}: the reconcile fails`);
            api.fault = () => undefined;
            await perform(operation, isLagging ? stale : new Bench(api));
            // A cache that catches up triggers another reconcile.
            await perform(operation, new Bench(api));

            assert.deepEqual(stateOf(api), stateOf(expected), context);
            assert.deepEqual(
              api.changes.toSorted(),
              expected.changes.toSorted(),
              `${context}: everything is done once`,
            );
          }
        }
      }
    });
  }
});

/** Runs an operation for the cached box, if there is one. */
async function perform(operation: Operation, bench: Bench): Promise<void> {
  if (bench.boxes.get("default/a") === undefined) return;
  await settled(bench.clock, operation(bench.begin(), bench));
}

/** Returns the stored objects without values that differ between servers. */
function stateOf(api: FakeApi): unknown[] {
  return ["boxes", "configmaps"].flatMap((plural) => api.all(plural).map(withoutVersions));
}

function withoutVersions(object: AnyObject): unknown {
  const { resourceVersion: _version, uid: _uid, ...metadata }: KubeObject["metadata"] = object.metadata;
  assert.ok(isRecord(metadata));
  return { ...object, metadata };
}
