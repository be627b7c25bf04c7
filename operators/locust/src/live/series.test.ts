import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { recordingOf } from "../testing/recordings.ts";
import { LivePoller } from "./live-poller.ts";
import { pointOf, pointsMax, RunSeries, seriesColumns, seriesCsv, type SeriesPoint } from "./run-series.ts";
import { seriesPage } from "./series-page.ts";
import { SeriesStore } from "./series-store.ts";
import { parseStats } from "./snapshot.ts";

const { states } = recordingOf("2.46.7");
const pointAt = (at: number): SeriesPoint => [at, 1];

describe("pointOf", () => {
  it("has a value for each column of a running test", () => {
    const snapshot = parseStats(states.running.body, 5_000);

    const point = pointOf(snapshot);

    assert.equal(point.length, seriesColumns.length);
    assert.equal(point[0], 5_000);
    assert.ok(
      point.every((value) => typeof value === "number"),
      JSON.stringify(point),
    );
  });

  it("has no value for statistics that Locust does not report", () => {
    const point = pointOf(parseStats(`{"state":"running","user_count":3}`, 0));

    assert.deepEqual(point, [0, 3, null, null, null, null, null, null, null, null]);
  });
});

describe("RunSeries", () => {
  it("ignores points that are not newer", () => {
    const series = new RunSeries();

    for (const at of [10, 10, 5, 20]) series.add(pointAt(at));

    assert.deepEqual(
      series.points.map(([at]) => at),
      [10, 20],
    );
  });

  it("stays within its limit at an even distance, with the first and the newest point", () => {
    for (let count = 1; count <= 5_000; count += 250) {
      const series = new RunSeries(100);
      for (let at = 0; at < count; at += 1) series.add(pointAt(at * 1_000));

      const times = series.points.map(([at]) => at);
      assert.ok(times.length <= 100 && times.length >= Math.min(count, 40), `${count} points: ${times.length}`);
      assert.deepEqual([times[0], times.at(-1)], [0, (count - 1) * 1_000]);
      const gaps = times.slice(1, -1).map((at, index) => at - (times[index] ?? 0));
      assert.ok(Math.max(...gaps, 1) <= 3 * Math.min(...gaps, 1e9), `${count} points: gaps ${Math.max(...gaps)}`);
    }
  });

  it("fits into a file of the results", () => {
    const points = Array.from({ length: pointsMax }, (_, index): SeriesPoint => [
      1_800_000_000_000 + index * 5_000,
      10_000,
      12_345.67,
      1_234.56,
      12.34,
      123.45,
      1_234.56,
      12_345.67,
      123_456_789,
      1_234_567,
    ]);

    assert.ok(seriesCsv(points).length < 200 * 1_024);
  });
});

describe("SeriesStore", () => {
  it("drops the run that got no point for the longest time", () => {
    const store = new SeriesStore(2);

    store.add({ key: "a/x", uid: "1", run: 1 }, pointAt(1));
    store.add({ key: "a/y", uid: "2", run: 1 }, pointAt(2));
    store.add({ key: "a/x", uid: "1", run: 1 }, pointAt(3));
    store.add({ key: "a/x", uid: "1", run: 2 }, pointAt(4));

    assert.equal(store.points("2", 1), undefined);
    assert.deepEqual(
      store.runsOf("a/x").map(({ run }) => run),
      [1, 2],
    );
    store.drop("a/x");
    assert.deepEqual(store.runsOf("a/x"), []);
  });
});

describe("the page /load-tests", () => {
  const store = new SeriesStore();
  for (const at of [1_000, 2_000, 3_000]) store.add({ key: "shop/smoke", uid: "u1", run: 1 }, pointAt(at));
  store.add({ key: "shop/smoke", uid: "u1", run: 2 }, pointAt(9_000));
  const page = seriesPage(store);
  const get = async (path: string): Promise<{ status: number; value: unknown }> => {
    const { pathname, searchParams } = new URL(path, "http://localhost");
    const rest = pathname.split("/").filter((part) => part !== "");
    const { status, body } = await page.respond({ rest, query: searchParams, signal: new AbortController().signal });
    return { status, value: JSON.parse(body) };
  };

  it("has the runs of a test, one of them, or its points after a time", async () => {
    const times = async (path: string): Promise<unknown> =>
      ((await get(path)).value as { runs: { run: number; points: number[][] }[] }).runs.map(({ run, points }) => [
        run,
        points.map(([at]) => at),
      ]);

    assert.deepEqual(await times("/shop/smoke"), [
      [1, [1_000, 2_000, 3_000]],
      [2, [9_000]],
    ]);
    assert.deepEqual(await times("/shop/smoke?run=1&after=2000"), [[1, [3_000]]]);
    assert.deepEqual(
      await times("/shop/smoke?run=x&after=-1"),
      await times("/shop/smoke"),
      "ignores what is no number",
    );
    assert.deepEqual(await times("/shop/other"), []);
  });

  it("names the columns, and the path of a test", async () => {
    assert.deepEqual((await get("/")).value, { columns: seriesColumns });
    assert.equal((await get("/shop")).status, 404);
  });
});

describe("the series of a polled master", () => {
  it("begins with the load and ends when the statistics no longer change", async () => {
    const clock = new FakeClock();
    let body = states.ready.body;
    const poller = new LivePoller({
      web: {
        send: () => Promise.resolve({ type: "response", status: 200, contentType: "application/json", body }),
      },
      clock,
      serverClock: clock,
      random: { next: () => 0.5, int: () => 0 },
    });
    const pod = { namespace: "shop", name: "smoke-master-x", uid: "p1", ip: "10.0.0.7" };
    poller.track({ key: "shop/smoke", uid: "u1", run: 1, intervalSeconds: 5, pod, args: [], env: [] });
    const count = (): number => poller.series.points("u1", 1)?.length ?? 0;

    await clock.advance(20_000);
    assert.equal(count(), 0, "no load yet");
    body = states.running.body;
    await clock.advance(20_000);
    const during = count();
    assert.ok(during >= 3, `${during} points`);
    body = states.stopped.body;
    await clock.advance(60_000);
    assert.equal(count(), during + 1, "one point of the end");
    poller.forget("shop/smoke");

    assert.equal(count(), during + 1, "the series stays after the run");
  });
});
