import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { silentLogger } from "../log/logger.ts";
import type { InformerStats } from "../cache/cache.ts";
import { newHealth } from "../cache/health.ts";
import { cacheCheck, StepDownMonitor } from "./health.ts";
import { createManagerWith } from "./manager.ts";
import { FakeServer } from "../testing/manager-server.ts";

describe("the liveness of a manager", () => {
  it("fails only when stepping down takes longer than the lease and the grace period", async () => {
    const clock = new FakeClock();
    const watch = new StepDownMonitor(clock);
    const check = watch.check(25_000);

    watch.note({ at: "stepping-down", why: "deadline" });
    await clock.advance(25_000);
    assert.equal(check.problem(), undefined);
    await clock.advance(1_000);
    assert.match(check.problem() ?? "", /^failed: leadership ended 26 s ago/);
    watch.note({ at: "standing-by", holder: "other" });

    assert.equal(check.problem(), undefined);
  });
});

describe("the readiness of a manager", () => {
  it("names the caches that are not synced, with their last error", () => {
    const type = {
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      scope: "Namespaced",
    } as const;
    const stats = (name: string, change: object): InformerStats => ({
      name,
      type,
      objects: 0,
      bytes: 0,
      heldBytes: 0,
      users: 1,
      health: { ...newHealth(), ...change },
    });
    const check = cacheCheck({
      stats: () => [
        stats("a", { isSynced: true, error: new Error("behind") }),
        stats("b", {}),
        stats("c", { error: new Error("forbidden") }),
      ],
    });

    assert.equal(check.problem(), "failed: not synced: b, c (forbidden)");
  });
});

describe("the pages of a manager", () => {
  it("are served while it runs, with metrics at a separate address if configured", async () => {
    const manager = createManagerWith(
      {
        name: "pages",
        connection: new FakeServer(),
        log: silentLogger,
        env: {},
        http: { port: 0, host: "127.0.0.1", metrics: { port: 0, host: "127.0.0.1" }, profiling: true },
        setup: ({ addPage }) =>
          addPage({ path: "/things", respond: ({ rest }) => ({ status: 200, body: rest.join() }) }),
      },
      () => assert.fail("there are no controllers"),
    );
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    while (manager.state !== "running") await new Promise((resolve) => setImmediate(resolve));
    const [health = 0, metrics = 0] = manager.ports;
    const get = async (port: number, path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).text();

    assert.equal(await get(health, "/readyz"), "ok\n");
    assert.equal(await get(health, "/livez?verbose"), "[+]ping ok\nlivez check passed\n");
    assert.match(await get(metrics, "/metrics"), /process_resident_memory_bytes/);
    assert.match(await get(health, "/metrics"), /Path not found/);
    assert.deepEqual(JSON.parse(await get(health, "/why")), {
      isLeading: true,
      controllers: [],
      informers: [],
    });
    assert.equal(await get(health, "/things/a"), "a", "added by setup");
    assert.match(await get(metrics, "/things/a"), /Path not found/);
    stop.abort();
    await running;

    await assert.rejects(get(health, "/livez"));
    assert.deepEqual(manager.state, "stopped");
  });

  it("prevent a manager from starting when their port is in use", async () => {
    const options = { name: "pages", connection: new FakeServer(), log: silentLogger, env: {} };
    const stop = new AbortController();
    const first = createManagerWith({ ...options, http: { port: 0, host: "127.0.0.1" } }, () => assert.fail());
    const running = first.run(stop.signal);
    while (first.state !== "running") await new Promise((resolve) => setImmediate(resolve));
    const second = createManagerWith({ ...options, http: { port: first.ports[0] ?? 0, host: "127.0.0.1" } }, () =>
      assert.fail(),
    );

    await assert.rejects(second.run(stop.signal), { code: "LISTEN" });
    stop.abort();
    await running;
  });
});
