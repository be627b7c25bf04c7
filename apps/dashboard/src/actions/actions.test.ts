import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DeepReadonly, type KubeObject, SeededRandom } from "@homeostat/core";
import { annotations as locustNames, LocustTest } from "@homeostat/locust-operator";
import { Tenant } from "@homeostat/tenant-operator";
import type { ActionContext } from "./action.ts";
import { actionsOf } from "./actions.ts";
import { locustAnnotations } from "./locust-actions.ts";
import { offeredActions } from "./run-action.ts";

const nowMs = Date.UTC(2026, 10, 18, 12);

function contextOf(inputs: Readonly<Record<string, string>> = {}): ActionContext {
  return { inputs: new Map(Object.entries(inputs)), nowMs, random: new SeededRandom(1) };
}

function actionNamed(type: { readonly group: string; readonly kind: string }, name: string) {
  const action = actionsOf(type).find((one) => one.name === name);
  assert.ok(action !== undefined, name);
  return action;
}

interface TestObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const offered = (object: DeepReadonly<TestObject>, type: typeof LocustTest | typeof Tenant): string[] =>
  offeredActions(object, type).map(({ name }) => name);

describe("actions of load tests", () => {
  const test = (status: unknown, metadata: KubeObject["metadata"] = {}): TestObject => ({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name: "smoke", ...metadata },
    status,
  });

  it("use the annotations of the operator", () => {
    assert.deepEqual(locustAnnotations, { stop: locustNames.stop, rerun: locustNames.rerun });
  });

  it("are offered in the states in which the operator handles them", () => {
    const requested = { annotations: { [locustNames.rerun]: "2" } };
    const rows: [TestObject, string[]][] = [
      [test(undefined), []],
      [test({ phase: "Pending" }), ["stop"]],
      [test({ phase: "Running" }), ["stop"]],
      [test({ phase: "Running", stop: { reason: "enough" } }), []],
      [test({ phase: "Running" }, { deletionTimestamp: "2026-11-18T12:00:00Z" }), []],
      [test({ phase: "Succeeded" }), ["rerun"]],
      [test({ phase: "Failed", lastRerunToken: "2" }, requested), ["rerun"]],
      [test({ phase: "Failed", lastRerunToken: "1" }, requested), []],
    ];

    for (const [object, names] of rows) assert.deepEqual(offered(object, LocustTest), names, JSON.stringify(object));
  });

  it("stop a run with a reason that the operator does not ignore", () => {
    const stop = actionNamed(LocustTest, "stop");
    const running = test({ phase: "Running", ignoredStop: "enough" });
    const annotationFor = (reason: string): unknown => stop.patch(running, contextOf({ reason }));

    assert.deepEqual(annotationFor(" too slow "), {
      patch: { metadata: { annotations: { "locust.io/stop": "too slow" } } },
    });
    assert.deepEqual(annotationFor("enough"), {
      patch: { metadata: { annotations: { "locust.io/stop": "enough (2026-11-18T12:00:00Z)" } } },
    });
    assert.deepEqual(annotationFor("  "), { problem: "Enter a reason." });
  });

  it("request each rerun with another value", () => {
    const rerun = actionNamed(LocustTest, "rerun");
    const context = contextOf();
    const patches = [0, 1].map(() => JSON.stringify(rerun.patch(test({ phase: "Failed" }), context)));

    assert.match(
      patches[0] ?? "",
      /^\{"patch":\{"metadata":\{"annotations":\{"locust.io\/rerun":"2026-11-18T12:00:00Z-\d+"\}\}\}\}$/,
    );
    assert.notEqual(patches[0], patches[1]);
  });
});

describe("actions of tenants", () => {
  const tenant = (spec: unknown, metadata: KubeObject["metadata"] = {}): TestObject => ({
    apiVersion: "neurallog.io/v1",
    kind: "Tenant",
    metadata: { name: "acme", ...metadata },
    spec,
  });

  it("are offered while the operator applies changes", () => {
    const rows: [TestObject, string[]][] = [
      [tenant({}), ["hibernate"]],
      [tenant({ hibernation: { enabled: false } }), ["hibernate"]],
      [tenant({ hibernation: { enabled: true } }), ["resume"]],
      [tenant({ paused: true }), []],
      [tenant({}, { deletionTimestamp: "2026-11-18T12:00:00Z" }), []],
    ];

    for (const [object, names] of rows) assert.deepEqual(offered(object, Tenant), names, JSON.stringify(object));
  });

  it("set the field of the spec", () => {
    for (const [name, enabled] of [
      ["hibernate", true],
      ["resume", false],
    ] as const) {
      const action = actionNamed(Tenant, name);

      assert.deepEqual(action.patch(tenant({}), contextOf()), { patch: { spec: { hibernation: { enabled } } } });
      const made = Tenant.make({ metadata: { name: "acme" }, spec: { hibernation: { enabled } } });
      assert.equal(made.spec?.hibernation?.enabled, enabled, "the schema has the field");
    }
  });
});
