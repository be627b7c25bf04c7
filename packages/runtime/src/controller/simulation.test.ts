import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import type { Controller } from "./definition.ts";
import { defineController } from "./define-controller.ts";
import { FakeApi } from "../testing/controller-api.ts";
import { applied, watched } from "../kinds/kinds.ts";
import { Operator, Page, Settings, Site } from "../testing/sample-operator.ts";

/** Keeps a page per site, with the text of the site and of the settings it names. Fails on two concurrent reconciles of one site. */
function sitesController(busy: Set<string>): Controller {
  return defineController({
    for: Site,
    indexes: { config: (site) => site.spec.config },
    owns: { pages: applied(Page, { deletes: true }) },
    watches: {
      settings: watched(Settings, {
        map: ({ metadata: { name } }, cache) => cache.by(Site, "config", name).map((site) => site.metadata.name),
      }),
    },
    finalizer: "example.com/site",
    concurrency: 3,
    timeoutMs: 5000,
    retry: { baseMs: 10, capMs: 2000 },
    async reconcile({ object, owned, watched: { settings }, key, clock, signal, setStatus }) {
      assert.ok(!busy.has(key), "two reconciles of one object");
      busy.add(key);
      try {
        await clock.sleep(5, signal);
        const extra = settings.get({ namespace: "default", name: object.spec.config ?? "" })?.data?.["extra"] ?? "";
        await owned.pages.apply({
          metadata: { name: object.metadata.name ?? "" },
          spec: { text: object.spec.text + extra },
        });
        setStatus({ pages: owned.pages.list().length });
      } finally {
        busy.delete(key);
      }
    },
    async cleanup({ owned }) {
      await owned.pages.prune();
      return "done";
    },
  });
}

const names = ["a", "b", "c"];

/** One random action. */
type Act = (api: FakeApi, random: SeededRandom) => void;

const acts: readonly Act[] = [
  (api, random) => {
    const key = `default/${names[random.int(3)]}`;
    if (api.get(Site, key) === undefined) api.put(Site, key, { spec: { text: "new", config: names[random.int(3)] } });
    else api.edit(Site, key, { spec: { text: `text ${random.int(5)}`, config: names[random.int(3)] } });
  },
  (api, random) => {
    const key = `default/${names[random.int(3)]}`;
    if (api.get(Settings, key) === undefined) api.put(Settings, key, { data: { extra: "!" } });
    else api.edit(Settings, key, { data: { extra: String(random.int(5)) } });
  },
  (api, random) => api.remove(Site, `default/${names[random.int(3)]}`),
  (api, random) => api.remove(Settings, `default/${names[random.int(3)]}`),
  (api, random) => api.remove(Page, `default/${names[random.int(3)]}`),
  (api, random) => {
    const key = `default/${names[random.int(3)]}`;
    if (api.get(Page, key) !== undefined) api.edit(Page, key, { spec: { text: "graffiti" } });
  },
  (api, random) => {
    const key = `default/${names[random.int(3)]}`;
    if (api.get(Site, key) !== undefined) api.edit(Site, key, { status: { pages: random.int(9) } });
  },
  (api) => api.hold(),
  (api) => api.release(),
];

async function play(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const api = new FakeApi([Site, Page, Settings]);
  const clock = new FakeClock();
  const busy = new Set<string>();
  let operator = new Operator(sitesController(busy), { api, clock, hotLoops: { holdMsMax: 2000 } });
  await operator.lead();
  api.fault = () => (random.int(6) > 0 ? undefined : random.int(2) === 0 ? "before" : "after");

  for (let step = 0; step < 25; step += 1) {
    const choice = random.int(acts.length + 2);
    const act = acts[choice];
    if (act !== undefined) act(api, random);
    else if (choice === acts.length) {
      await operator.abort(new Error("leadership lost"));
      await operator.lead();
    } else {
      await operator[Symbol.asyncDispose]();
      busy.clear();
      operator = new Operator(sitesController(busy), { api, clock, hotLoops: { holdMsMax: 2000 } });
      await operator.lead();
    }
    await clock.advance([0, 3, 20, 500][random.int(4)] ?? 0);
  }

  api.fault = () => undefined;
  api.release();
  await clock.advance(60_000);
  const settled = api.writes.length;
  await clock.advance(600_000);
  const sites = api
    .list(Site)
    .map(({ metadata, spec, status }) => ({ name: metadata.name ?? "", spec: Object(spec), status }));
  for (const { name, spec, status } of sites) {
    const extra = Object(api.get(Settings, `default/${spec.config}`)?.["data"]).extra ?? "";
    assert.deepEqual(
      api.get(Page, `default/${name}`)?.["spec"],
      { text: `${spec.text}${extra}` },
      `seed ${seed}: ${name}`,
    );
    assert.deepEqual(status, { pages: 1 }, `seed ${seed}: ${name}`);
  }
  assert.equal(api.list(Page).length, sites.length, `seed ${seed}: nothing is left over`);
  assert.equal(api.writes.length, settled, `seed ${seed}: nothing is written once all is well`);
  assert.deepEqual(operator.logged(/Reconcile is stuck|Controller callback threw/), []);
  await operator[Symbol.asyncDispose]();
  assert.equal(busy.size, 0);
}

describe("a controller under random changes and faults", () => {
  it("reaches the desired state and then becomes idle", async () => {
    for (let seed = 1; seed <= 100; seed += 1) await play(seed);
  });
});
