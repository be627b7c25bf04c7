import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { recordingOf } from "../testing/recordings.ts";
import { LivePoller } from "./live-poller.ts";
import type { LiveTarget } from "./live-view.ts";
import type { MasterWeb, WebRequest, WebResponse } from "./web-api.ts";

const recording = recordingOf("2.46.7");
const target: LiveTarget = {
  key: "shop/smoke",
  uid: "u1",
  run: 1,
  intervalSeconds: 5,
  pod: { namespace: "shop", name: "smoke-master-x", uid: "p1", ip: "10.0.0.7" },
  args: ["--master", "--web-port", "9000", "--web-base-path=/load"],
  env: [],
};

const ok = (body: string): WebResponse => ({ type: "response", status: 200, contentType: "application/json", body });
const failure: WebResponse = { type: "failure", message: "is out" };

/** A fake master with configurable responses that records its requests. */
class FakeMaster implements MasterWeb {
  readonly clock = new FakeClock();
  readonly requests: { readonly at: number; readonly method: string; readonly path: string }[] = [];
  readonly addresses: unknown[] = [];
  inFlight = 0;
  inFlightMax = 0;
  respond: (request: WebRequest) => WebResponse | Promise<WebResponse> = () => ok(recording.states.running.body);

  async send(address: unknown, request: WebRequest): Promise<WebResponse> {
    this.requests.push({ at: this.clock.monotonic(), method: request.method, path: request.path });
    this.addresses.push(address);
    this.inFlight += 1;
    this.inFlightMax = Math.max(this.inFlightMax, this.inFlight);
    try {
      return await this.respond(request);
    } finally {
      this.inFlight -= 1;
    }
  }

  poller(random: { next(): number } = { next: () => 0.5 }): LivePoller {
    const errors: string[] = [];
    return new LivePoller({
      web: this,
      clock: this.clock,
      serverClock: this.clock,
      random: { next: () => random.next(), int: () => 0 },
      onError: (key) => errors.push(key),
    });
  }

  /** Returns the times between requests, in milliseconds. */
  get pauses(): number[] {
    return this.requests.slice(1).map(({ at }, index) => at - (this.requests[index]?.at ?? 0));
  }
}

const hanging = ({ signal }: WebRequest): Promise<WebResponse> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve({ type: "failure", message: "aborted" })));

describe("LivePoller", () => {
  it("polls the address in the master's arguments and exposes the statistics", async () => {
    const master = new FakeMaster();
    const poller = master.poller();

    poller.track(target);
    const before = poller.view(target.key);
    await master.clock.advance(0);

    assert.deepEqual([before?.reason, before?.snapshot], ["WaitingForMaster", undefined]);
    const view = poller.view(target.key);
    assert.deepEqual(
      [view?.reason, view?.snapshot?.userCount, view?.isFresh, view?.peakUsers],
      ["Streaming", 6, true, 6],
    );
    assert.equal(view?.startedAt, master.clock.now());
    assert.deepEqual(master.addresses, [
      { namespace: "shop", pod: "smoke-master-x", ip: "10.0.0.7", port: 9_000, basePath: "/load", isTls: false },
    ]);
    poller.forget(target.key);
  });

  it("polls at the interval with 20 % jitter", async () => {
    const master = new FakeMaster();
    const random = new SeededRandom(3);
    const poller = master.poller(random);

    poller.track(target);
    await master.clock.advance(300_000);

    const pauses = master.pauses;
    assert.ok(pauses.length > 50 && pauses.length < 72, `${pauses.length} polls`);
    assert.ok(
      pauses.every((ms) => ms >= 4_000 && ms <= 6_000),
      pauses.join(),
    );
    assert.ok(Math.min(...pauses) < 4_300 && Math.max(...pauses) > 5_700, "spread over the whole of it");
    poller.forget(target.key);
  });

  it("has one timer per test and ignores repeated track calls", async () => {
    const master = new FakeMaster();
    const poller = master.poller();

    poller.track(target);
    await master.clock.advance(0);
    poller.track({ ...target, args: ["other"] });
    poller.track(target);
    poller.track({ ...target, key: "shop/other" });
    await master.clock.advance(0);

    assert.equal(master.clock.pending, 2);
    assert.equal(master.requests.length, 2);
    poller.forget("shop/other");
    poller.forget(target.key);
    assert.equal(master.clock.pending, 0);
  });

  it("drops its state for another run, another pod, or another test of the same name", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);

    const others = [
      { ...target, run: 2 },
      { ...target, run: 2, pod: { ...target.pod, uid: "p2" } },
      { ...target, uid: "u2", run: 2, pod: { ...target.pod, uid: "p2" } },
    ];
    for (const other of others) {
      poller.track(other);

      assert.equal(poller.view(target.key)?.snapshot, undefined);
      await master.clock.advance(0);
      assert.notEqual(poller.view(target.key)?.snapshot, undefined);
    }
    poller.forget(target.key);
  });

  it("retries after 1 s and doubles the delay after each failure, up to 30 s", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    master.respond = () => failure;

    await master.clock.advance(150_000);

    assert.deepEqual(master.pauses.slice(0, 8), [5_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    master.respond = () => ok(recording.states.running.body);
    await master.clock.advance(40_000);
    assert.equal(master.pauses.at(-1), 5_000, "and the interval is back to normal after a response");
    poller.forget(target.key);
  });

  it("retries a starting master at least every interval for two minutes", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    master.respond = () => failure;

    poller.track(target);
    await master.clock.advance(300_000);

    const { pauses } = master;
    assert.deepEqual(pauses.slice(0, 5), [1_000, 2_000, 4_000, 5_000, 5_000]);
    assert.equal(pauses.at(-1), 30_000);
    assert.ok(pauses.filter((ms) => ms === 5_000).length >= 20, pauses.join());
    poller.forget(target.key);
  });

  it("reports a master as unreachable after three consecutive failures and keeps the last snapshot", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    master.respond = () => failure;

    await master.clock.advance(5_000 + 1_000);
    assert.equal(poller.view(target.key)?.reason, "Streaming", "two failures");
    await master.clock.advance(2_000);

    const view = poller.view(target.key);
    assert.deepEqual([view?.reason, view?.message], ["Unreachable", "The master's web interface is out"]);
    assert.equal(view?.snapshot?.userCount, 6);
    poller.forget(target.key);
  });

  it("reports a snapshot as fresh for three intervals", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    master.respond = hanging;

    await master.clock.advance(14_999);
    assert.equal(poller.view(target.key)?.isFresh, true);
    await master.clock.advance(1);

    assert.equal(poller.view(target.key)?.isFresh, false);
    poller.forget(target.key);
  });

  it("times out a poll after 3 s and sends one request at a time", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    master.respond = hanging;

    poller.track(target);
    await master.clock.advance(2_999);
    const stopping = poller.stop(target.key, new AbortController().signal);
    const files = poller.files(target.key, new AbortController().signal);
    await master.clock.advance(0);
    assert.equal(master.requests.length, 1, "the other requests wait");
    await master.clock.advance(20_000);

    await stopping;
    assert.equal(await files, undefined);
    assert.equal(master.inFlightMax, 1);
    poller.forget(target.key);
    await master.clock.advance(0);
    assert.equal(master.inFlight, 0, "nothing is left when it is forgotten");
  });

  it("stops waiting when the signal of the caller aborts and keeps the order of the other requests", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    master.respond = hanging;
    poller.track(target);
    await master.clock.advance(0);
    const [first, second] = [new AbortController(), new AbortController()];
    const stopping = poller.stop(target.key, first.signal);
    const files = poller.files(target.key, second.signal);

    first.abort(new Error("no more time to stop"));
    second.abort(new Error("no more time for files"));

    await assert.rejects(stopping, { message: "no more time to stop" });
    await assert.rejects(files, { message: "no more time for files" });
    assert.deepEqual(
      master.requests.map(({ path }) => path),
      ["/stats/requests"],
      "nothing overtakes the request in front",
    );
    await master.clock.advance(20_000);
    assert.equal(master.inFlightMax, 1);
    poller.forget(target.key);
  });

  it("continues when a request does not settle after its signal aborts", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    master.respond = () => new Promise(() => undefined);
    poller.track(target);

    await master.clock.advance(10_000);
    const stopping = poller.stop(target.key, new AbortController().signal);
    await master.clock.advance(10_000);

    await stopping;
    assert.equal(poller.view(target.key)?.reason, "Unreachable");
    assert.equal(poller.view(target.key)?.message, "The master's web interface did not respond within 3 s");
    master.respond = () => ok(recording.states.running.body);
    await master.clock.advance(60_000);
    assert.equal(poller.view(target.key)?.reason, "Streaming");
    poller.forget(target.key);
  });

  it("polls every 2 s near the end until the statistics are final", async () => {
    const master = new FakeMaster();
    const poller = master.poller({ next: () => 0 });
    poller.track(target);
    await master.clock.advance(0);
    master.respond = () => ok(recording.states.stopped.body);

    await master.clock.advance(4_000);
    assert.equal(poller.view(target.key)?.isFinal, false);
    await master.clock.advance(4_000);

    assert.deepEqual(master.pauses, [4_000, 2_000, 2_000]);
    assert.deepEqual([poller.view(target.key)?.isFinal, poller.view(target.key)?.snapshot?.state], [true, "stopped"]);
    await master.clock.advance(4_000);
    assert.equal(master.pauses.at(-1), 4_000, "then at the normal interval, in case a user starts another run");
    poller.forget(target.key);
  });

  it("never polls more often than every 2 s near the end, because Locust caches its statistics", async () => {
    const master = new FakeMaster();
    const poller = master.poller(new SeededRandom(5));
    poller.track(target);
    await master.clock.advance(0);
    let requests = 0;
    master.respond = () => {
      requests += 1;
      return ok(recording.states.running.body.replace('"running"', '"stopping"').replace(/138/g, String(requests)));
    };

    await master.clock.advance(60_000);

    const pauses = master.pauses.slice(1);
    assert.ok(
      pauses.every((ms) => ms >= 2_000 && ms <= 2_400),
      pauses.join(),
    );
    poller.forget(target.key);
  });

  it("does not poll a headless master", async () => {
    const master = new FakeMaster();
    const poller = master.poller();

    poller.track({ ...target, args: [], env: [{ name: "LOCUST_HEADLESS", value: "true" }] });
    await master.clock.advance(60_000);

    assert.deepEqual([poller.view(target.key)?.reason, master.requests], ["WebUIDisabled", []]);
    await assert.rejects(poller.stop(target.key, new AbortController().signal), { code: "MASTER_UNREACHABLE" });
    assert.equal(await poller.files(target.key, new AbortController().signal), undefined);
    poller.forget(target.key);
  });

  it("reports that a login is required and keeps polling", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    const { status, contentType, body } = recordingOf("2.47.0").login ?? assert.fail();
    master.respond = () => ({ type: "response", status, contentType, body });

    poller.track(target);
    await master.clock.advance(0);

    assert.equal(poller.view(target.key)?.reason, "AuthRequired");
    master.respond = () => ok(recording.states.running.body);
    await master.clock.advance(1_000);
    assert.equal(poller.view(target.key)?.reason, "Streaming");
    poller.forget(target.key);
  });

  it("notifies a listener once per poll", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    const stop = new AbortController();
    const heard: string[] = [];
    const listening = (async () => {
      for await (const key of poller.listen(stop.signal)) heard.push(key);
    })();

    poller.track(target);
    await master.clock.advance(10_000);

    assert.deepEqual(heard, [target.key, target.key, target.key]);
    stop.abort();
    await listening;
  });

  it("notifies all listeners and keeps polling while one is left", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    const stops = [new AbortController(), new AbortController()];
    const heard: string[][] = [[], []];
    const listening = stops.map(async ({ signal }, index) => {
      for await (const key of poller.listen(signal)) heard[index]?.push(key);
    });

    poller.track(target);
    await master.clock.advance(5_000);
    stops[0]?.abort();
    await listening[0];
    await master.clock.advance(5_000);

    assert.deepEqual(
      heard.map(({ length }) => length),
      [2, 3],
    );
    stops[1]?.abort();
    await listening[1];
    assert.equal(poller.view(target.key), undefined);
  });

  it("stops polling when the last listener ends", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    const stop = new AbortController();
    const listening = (async () => {
      for await (const _ of poller.listen(stop.signal)) continue;
    })();
    poller.track(target);
    await master.clock.advance(5_000);
    master.respond = hanging;
    await master.clock.advance(5_000);

    stop.abort();
    await listening;
    await master.clock.advance(60_000);

    assert.deepEqual([poller.view(target.key), master.clock.pending, master.inFlight], [undefined, 0, 0]);
  });
});

describe("LivePoller.stop", () => {
  it("sends GET, and POST if the master responds with 405", async () => {
    for (const version of ["2.46.7", "2.47.0"] as const) {
      const { stop } = recordingOf(version);
      const master = new FakeMaster();
      const poller = master.poller();
      poller.track(target);
      await master.clock.advance(0);
      master.respond = ({ method, path }) =>
        path === "/stop" ? { type: "response", ...stop[method] } : ok(recording.states.running.body);

      await poller.stop(target.key, new AbortController().signal);
      await poller.stop(target.key, new AbortController().signal);

      const methods = master.requests.filter(({ path }) => path === "/stop").map(({ method }) => method);
      assert.deepEqual(methods, version === "2.46.7" ? ["GET", "GET"] : ["GET", "POST", "POST"], version);
      poller.forget(target.key);
    }
  });

  it("does not wait for the response, which Locust sends after the users have stopped", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    master.respond = hanging;

    const stopping = poller.stop(target.key, new AbortController().signal);
    await master.clock.advance(3_000);

    await stopping;
    poller.forget(target.key);
  });

  it("throws if the request fails", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    master.respond = () => failure;

    await assert.rejects(poller.stop(target.key, new AbortController().signal), {
      code: "MASTER_UNREACHABLE",
      message: /Failed to stop the users of the Locust master of shop\/smoke: it is out/,
    });
    await assert.rejects(poller.stop("shop/unknown", new AbortController().signal), /is not being polled/);
    poller.forget(target.key);
  });

  it("polls every 2 s afterwards", async () => {
    const master = new FakeMaster();
    const poller = master.poller({ next: () => 0 });
    poller.track({ ...target, intervalSeconds: 60 });
    await master.clock.advance(0);

    await poller.stop(target.key, new AbortController().signal);
    await master.clock.advance(6_000);

    const polls = master.requests.filter(({ path }) => path === "/stats/requests").map(({ at }) => at);
    assert.deepEqual(polls, [0, 2_000, 4_000, 6_000]);
    poller.forget(target.key);
  });
});

describe("LivePoller.files", () => {
  it("downloads the CSV files one after the other", async () => {
    const master = new FakeMaster();
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);
    const { csv } = recording;
    const bodies = new Map([
      ["/stats/requests/csv", csv.requests],
      ["/stats/failures/csv", csv.failures],
      ["/exceptions/csv", csv.exceptions],
    ]);
    master.respond = ({ path }) => ({ type: "response", ...(bodies.get(path) ?? assert.fail(path)) });

    const files = await poller.files(target.key, new AbortController().signal);

    assert.deepEqual(files, {
      requestsCsv: csv.requests.body,
      failuresCsv: csv.failures.body,
      exceptionsCsv: csv.exceptions.body,
    });
    assert.equal(master.inFlightMax, 1);
    poller.forget(target.key);
  });

  it("reads at most 1 MiB of statistics and 4 MiB of a file", async () => {
    const master = new FakeMaster();
    const limits = new Map<string, number>();
    master.respond = ({ path, bodyBytesMax }) => {
      limits.set(path, bodyBytesMax);
      return ok(recording.states.running.body);
    };
    const poller = master.poller();
    poller.track(target);
    await master.clock.advance(0);

    await poller.files(target.key, new AbortController().signal);

    assert.deepEqual(Object.fromEntries(limits), {
      "/stats/requests": 1_048_576,
      "/stats/requests/csv": 4_194_304,
      "/stats/failures/csv": 4_194_304,
      "/exceptions/csv": 4_194_304,
    });
    poller.forget(target.key);
  });

  it("returns undefined if one of them is an HTML page or an error", async () => {
    for (const response of [
      { ...failure },
      { ...ok(""), status: 404 },
      { ...ok("<html>"), contentType: "text/html" },
    ]) {
      const master = new FakeMaster();
      const poller = master.poller();
      poller.track(target);
      await master.clock.advance(0);
      master.respond = ({ path }) => (path === "/exceptions/csv" ? response : ok("a,b\n"));

      assert.equal(await poller.files(target.key, new AbortController().signal), undefined);
      poller.forget(target.key);
    }
  });
});
