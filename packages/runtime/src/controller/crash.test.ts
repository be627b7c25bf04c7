import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { Controller } from "./definition.ts";
import { defineController } from "./define-controller.ts";
import { FakeApi, type Fault } from "../testing/controller-api.ts";
import { applied, created } from "../kinds/kinds.ts";
import { Operator, Page, Settings, Site } from "../testing/sample-operator.ts";

/** Applies a page, creates settings once, and counts both in the status. */
function operatorUnderTest(): Controller {
  return defineController({
    for: Site,
    owns: { pages: applied(Page, { deletes: true }), settings: created(Settings, { deletes: true }) },
    finalizer: "example.com/site",
    retry: { baseMs: 10, capMs: 1000 },
    async reconcile({ object, owned, setStatus, setCondition }) {
      await owned.settings.create({ metadata: { name: `${object.metadata.name}-settings` }, data: { text: "fixed" } });
      await owned.pages.apply({ metadata: { name: "index" }, spec: { text: object.spec.text } });
      if (object.spec.text === "many") await owned.pages.apply({ metadata: { name: "more" }, spec: { text: "more" } });
      await owned.pages.prune();
      setStatus({ pages: owned.pages.list().length });
      setCondition("Ready", { status: true, reason: "Made" });
    },
    async cleanup({ object, owned }) {
      await owned.pages.prune();
      await owned.settings.delete(`${object.metadata.name}-settings`);
      return "done";
    },
  });
}

/** The actions of a user, in order. */
const userActions: readonly ((api: FakeApi) => void)[] = [
  (api) => void api.put(Site, "default/a", { spec: { text: "one" } }),
  (api) => void api.edit(Site, "default/a", { spec: { text: "many" } }),
  (api) => void api.edit(Site, "default/a", { spec: { text: "two" } }),
  (api) => api.remove(Site, "default/a"),
];

/** Returns all objects without timestamps, resource versions and field managers. */
function pictureOf(api: FakeApi): unknown {
  return [...api.objects]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, object]) => {
      const { spec, data, status } = object;
      const { finalizers } = object.metadata;
      const { pages } = Object(status);
      return [id, { spec, data, pages, finalizers }];
    });
}

/** Performs the user's actions. At the chosen write the connection breaks; optionally the process dies and another one takes over. */
async function play(crashAt: number, fault: Fault, isFatal: boolean): Promise<{ pictures: unknown[]; writes: number }> {
  const api = new FakeApi([Site, Page, Settings]);
  const clock = new FakeClock({ turnsMin: 2 });
  let operator = new Operator(operatorUnderTest(), { api, clock });
  let count = 0;
  let hasCrashed = false;
  api.fault = () => {
    count += 1;
    if (count !== crashAt) return undefined;
    hasCrashed = true;
    return fault;
  };
  const pictures: unknown[] = [];
  await operator.lead();
  for (const action of userActions) {
    action(api);
    await operator.settle();
    if (hasCrashed && isFatal) {
      hasCrashed = false;
      await operator[Symbol.asyncDispose]();
      operator = new Operator(operatorUnderTest(), { api, clock });
      await operator.lead();
    }
    await clock.advance(5000);
    pictures.push(pictureOf(api));
  }
  await operator[Symbol.asyncDispose]();
  return { pictures, writes: count };
}

describe("a controller whose requests fail", () => {
  it("reaches the same state wherever the connection breaks or the process dies", async () => {
    const expected = await play(0, undefined, false);
    assert.ok(expected.writes >= 10, `${expected.writes} writes`);
    assert.deepEqual(expected.pictures.at(-1), []);

    for (let crashAt = 1; crashAt <= expected.writes; crashAt += 1) {
      for (const fault of ["before", "after"] as const) {
        for (const isFatal of [false, true]) {
          const { pictures } = await play(crashAt, fault, isFatal);
          assert.deepEqual(pictures, expected.pictures, `${fault} write ${crashAt}${isFatal ? ", fatal" : ""}`);
        }
      }
    }
  });

  it("writes nothing once the desired state is reached", async () => {
    await using operator = new Operator(operatorUnderTest());
    operator.api.put(Site, "default/a", { spec: { text: "one" } });
    await operator.lead();
    const settled = operator.api.writes.length;

    await operator.clock.advance(600_000);
    await operator.stop();
    await operator.lead();
    await operator.clock.advance(600_000);

    assert.ok(settled > 0);
    assert.equal(operator.api.writes.length, settled);
  });
});
