import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { named, readerOf, refusal } from "../../../testing/admission-request.ts";
import type { SpecialStore } from "../../../endpoints/endpoint-store.ts";
import { valueAt } from "../../../values/fields.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";

const now = Date.UTC(2026, 0, 1);

/** Returns a store with the given objects that records its writes. */
function storeOf(objects: Readonly<Record<string, readonly JsonRecord[]>>): SpecialStore & { readonly log: unknown[] } {
  const log: unknown[] = [];
  return {
    ...readerOf(objects),
    log,
    replace: async (name, object) => {
      log.push({ replaced: name.name, object });
      return object;
    },
    remove: async (name, wish) => void log.push({ removed: name.name, wish }),
  };
}

const asked = (name: string, object: JsonRecord): Parameters<typeof bindPod>[0] => ({
  namespace: "team",
  name,
  object,
  isDryRun: false,
  nowMs: now,
  validate: async () => undefined,
});

describe("bindPod", () => {
  const binding = named("a", { target: { kind: "Node", name: "n" } });

  it("sets the node and the condition PodScheduled", async () => {
    const store = storeOf({ pods: [named("a", { status: { nominatedNodeName: "x" } }, "team")] });

    await bindPod(asked("a", binding), store);

    const [{ object }] = store.log as [{ object: JsonRecord }];
    assert.equal(valueAt(object, "spec", "nodeName"), "n");
    assert.deepEqual(object["status"], {
      conditions: [
        { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  it("rejects pods that are bound, being deleted or gated", async () => {
    const ask = (rest: object): Promise<string | undefined> =>
      refusal(() => bindPod(asked("a", binding), storeOf({ pods: [named("a", rest, "team")] })));
    const conflict = '409 Operation cannot be fulfilled on pods/binding "a": pod a ';

    assert.equal(await ask({ spec: { nodeName: "m" } }), `${conflict}is already assigned to node "m"`);
    assert.equal(
      await ask({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      `${conflict}is being deleted, cannot be assigned to a host`,
    );
    assert.equal(await ask({ spec: { schedulingGates: [{}] } }), `${conflict}has non-empty .spec.schedulingGates`);
    assert.equal(await refusal(() => bindPod(asked("a", named("a")), storeOf({}))), "500 target.name: Required value");
  });
});

describe("evictPod", () => {
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  const pod = named("a", { metadata: { labels: { app: "a" } }, status: ready }, "team");
  const budget = (status: object): JsonRecord =>
    named(
      "b",
      {
        metadata: { generation: 1 },
        spec: { selector: { matchLabels: { app: "a" } } },
        status: { observedGeneration: 1, ...status },
      },
      "team",
    );
  const evict = (
    status: object | undefined,
    evicted: JsonRecord = pod,
  ): { store: ReturnType<typeof storeOf>; done: Promise<string | undefined> } => {
    const store = storeOf({
      pods: [evicted],
      "poddisruptionbudgets.policy": status === undefined ? [] : [budget(status)],
    });
    return { store, done: refusal(() => evictPod(asked("a", named("a")), store)) };
  };

  it("deletes a pod without a budget after setting the condition DisruptionTarget", async () => {
    const { store, done } = evict(undefined);

    assert.equal(await done, undefined);
    assert.equal(valueAt(store.log, 0, "object", "status", "conditions", 1, "reason"), "EvictionByEvictionAPI");
    assert.equal(valueAt(store.log, 1, "removed"), "a");
  });

  it("decrements the allowed disruptions of the budget", async () => {
    const { store, done } = evict({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });

    assert.equal(await done, undefined);
    const status = valueAt(store.log, 0, "object", "status");
    assert.ok(isRecord(status));
    assert.equal(status["disruptionsAllowed"], 0);
    assert.deepEqual(status["disruptedPods"], { a: "2026-01-01T00:00:00Z" });
    assert.equal(valueAt(status, "conditions", 0, "reason"), "InsufficientPods");
  });

  it("rejects the eviction when no disruption is allowed or the status of the budget is outdated", async () => {
    const text = "429 Cannot evict pod as it would violate the pod's disruption budget.";
    assert.equal(await evict({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }).done, text);
    assert.equal(await evict({ observedGeneration: 0 }).done, text);
    const pending = { ...pod, status: { phase: "Pending" } };
    assert.equal(await evict({ disruptionsAllowed: 0 }, pending).done, undefined, "a pending pod serves no traffic");
    const sick = { ...pod, status: { phase: "Running" } };
    assert.equal(await evict({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 }, sick).done, undefined);
  });
});
