import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, FakeClock, NetworkError, SeededRandom } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { textOf } from "../testing/servers.ts";
import { withCorrelation } from "./correlation.ts";
import { FencedError, withFence } from "./fence.ts";
import { restClientMetrics } from "./metric-names.ts";
import { type RequestObserver, withAttemptMetrics, withMetrics } from "./metrics.ts";
import { withRateLimit } from "./rate-limit.ts";
import { type RetryOptions, withRetries } from "./retries.ts";
import { layered, type Request, type Transport } from "./transport.ts";
import { withWarnings } from "./warnings.ts";

const get: Request = { method: "GET", path: "/api/v1/pods" };
const post: Request = { method: "POST", path: "/api/v1/pods?dryRun=", body: "{}" };
const busy: Script = { status: 429, headers: { "retry-after": "2" } };
const unavailable: Script = { status: 503, headers: { "retry-after": "1" } };

describe("layered", () => {
  it("passes requests through the first layer first", async () => {
    const order: string[] = [];
    const mark =
      (name: string) =>
      (next: Transport): Transport => ({
        send: (request) => {
          order.push(name);
          return next.send(request);
        },
      });

    await layered(new ScriptedTransport({}), [mark("a"), mark("b")]).send(get);

    assert.deepEqual(order, ["a", "b"]);
  });
});

describe("withRetries", () => {
  it("waits as long as the server asks, plus up to 50 % jitter", async () => {
    const { clock, sockets, transport } = retrying([busy, busy, { text: "ok" }]);

    const response = transport.send(post);
    await clock.advance(1999);
    const early = sockets.requests.length;
    await clock.advance(1001);
    const second = sockets.requests.length;
    await clock.advance(3000);

    assert.equal(await textOf(await response), "ok");
    assert.deepEqual([early, second, sockets.requests.length], [1, 2, 3]);
    assert.equal(sockets.open, 0, "no body is left open");
    assert.equal(clock.pending, 0);
  });

  it("retries a read after a 5xx, and returns the response of a write", async () => {
    const reading = retrying([unavailable, { text: "ok" }]);
    const writing = retrying([unavailable, { text: "ok" }]);
    const asking = retrying([unavailable, { text: "ok" }]);

    const read = reading.transport.send(get);
    const write = writing.transport.send(post);
    const ask = asking.transport.send({ ...post, isReadOnly: true });
    for (const { clock } of [reading, writing, asking]) await clock.advance(5000);

    assert.equal((await read).status, 200);
    assert.equal((await write).status, 503);
    assert.equal((await ask).status, 200);
  });

  const finals: [string, Script, Partial<Request>][] = [
    ["without Retry-After", { status: 429 }, {}],
    ["with a Retry-After that is invalid", { status: 429, headers: { "retry-after": "soon" } }, {}],
    ["that asks for more patience than we have", { status: 429, headers: { "retry-after": "61" } }, {}],
    ["to a request that is not repeated", busy, { isRetried: false }],
    ["to a watch", busy, { about: { verb: "watch", resource: "pods" } }],
    ["that is a success", { status: 200, headers: { "retry-after": "1" } }, {}],
    ["that is the client's fault", { status: 409, headers: { "retry-after": "1" } }, {}],
  ];
  for (const [what, script, extra] of finals) {
    it(`returns a response ${what} without a retry`, async () => {
      const { sockets, transport } = retrying([script]);

      await transport.send({ ...get, ...extra });

      assert.equal(sockets.requests.length, 1);
    });
  }

  it("parses a date, and waits a minimum time for Retry-After: 0", async () => {
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
    const dated = { status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" } };
    const atOnce = { status: 429, headers: { "retry-after": "0" } };
    const { sockets, transport } = retrying([dated, atOnce, { text: "ok" }], { clock });

    const response = transport.send(get);
    await clock.advance(2999);
    const early = sockets.requests.length;
    await clock.runNext();
    const then = sockets.requests.length;
    const moment = clock.nextDueMs ?? 0;
    await clock.runNext();
    await response;

    assert.deepEqual([early, then, sockets.requests.length], [1, 2, 3]);
    assert.ok(moment >= 100 && moment <= 150);
  });

  it("returns the response of the server after retriesMax retries", async () => {
    const { clock, sockets, transport, retries } = retrying([busy], { retriesMax: 3 });

    const response = transport.send(get);
    await clock.runUntilIdle();

    assert.equal((await response).status, 429);
    assert.equal(sockets.requests.length, 4);
    assert.deepEqual(retries, [429, 429, 429]);
  });

  it("stops waiting when the signal aborts", async () => {
    const { clock, sockets, transport } = retrying([busy]);
    const controller = new AbortController();

    const response = transport.send({ ...get, signal: controller.signal });
    response.catch(() => undefined);
    await clock.advance(1);
    controller.abort(new Error("enough"));

    await assert.rejects(response, /enough/);
    assert.equal(sockets.requests.length, 1);
    assert.equal(clock.pending, 0);
  });

  it("does not retry after a broken connection", async () => {
    const { sockets, transport } = retrying([{ error: new NetworkError({ socketCode: "ECONNRESET" }) }]);

    await assert.rejects(transport.send(get), NetworkError);

    assert.equal(sockets.requests.length, 1);
  });

  it("handles random Retry-After headers without waiting forever or throwing", async () => {
    const valid = ["1", "120", "Thu, 01 Jan 2026 00:00:03 GMT", "Thursday, 01-Jan-26 00:00:03 GMT", "0"];
    const pieces = ["-", "9".repeat(20), "GMT", ",", " ", "Feb", "\u0000", "1e9", "NaN", "Infinity", "0x10"];
    const waits: number[] = [];
    let header = "";
    const sockets: Transport = {
      send: () =>
        Promise.resolve({
          status: 429,
          headers: { "retry-after": header },
          body: { cancel: () => undefined, async *[Symbol.asyncIterator]() {} },
        }),
    };
    const transport = withRetries({
      clock: new (class extends FakeClock {
        override sleep(ms: number): Promise<void> {
          waits.push(ms);
          return Promise.resolve();
        }
      })(),
      random: new SeededRandom(1),
      retriesMax: 1,
    })(sockets);
    const pending: Promise<unknown>[] = [];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid), pieces),
      run: (text) => {
        header = text;
        pending.push(transport.send(get));
      },
      isExpected: () => false,
    });
    await Promise.all(pending);

    assert.ok(waits.length > 100);
    assert.ok(waits.every((ms) => ms >= 100 && ms <= 90_000));
  });
});

describe("withRateLimit", () => {
  it("allows a burst, then perSecond requests per second, in order", async () => {
    const clock = new FakeClock();
    const sockets = new ScriptedTransport({});
    const waits: number[] = [];
    const transport = withRateLimit({ clock, perSecond: 10, burst: 3, onWait: (_, ms) => waits.push(ms) })(sockets);

    const all = Array.from({ length: 6 }, (_, n) => transport.send({ ...get, path: `/${n}` }));
    await clock.advance(0);
    const atOnce = sockets.requests.length;
    await clock.advance(100);
    const afterOneTick = sockets.requests.length;
    await clock.advance(1000);
    await Promise.all(all);

    assert.deepEqual([atOnce, afterOneTick], [3, 4]);
    assert.deepEqual(
      sockets.requests.map(({ path }) => path),
      ["/0", "/1", "/2", "/3", "/4", "/5"],
    );
    assert.deepEqual(waits.map(Math.round), [0, 0, 0, 100, 200, 300]);
  });

  it("returns the token of an aborted request", async () => {
    const clock = new FakeClock();
    const sockets = new ScriptedTransport({});
    const transport = withRateLimit({ clock, perSecond: 1, burst: 1 })(sockets);
    const controller = new AbortController();
    await transport.send(get);

    const impatient = transport.send({ ...get, signal: controller.signal });
    impatient.catch(() => undefined);
    controller.abort(new Error("enough"));
    await assert.rejects(impatient, /enough/);
    const next = transport.send(get);
    await clock.advance(1000);
    await next;

    assert.equal(sockets.requests.length, 2);
  });

  it("never exceeds the rate and the burst", async () => {
    const clock = new FakeClock();
    const random = new SeededRandom("rate");
    const times: number[] = [];
    const sockets = new ScriptedTransport(() => {
      times.push(clock.monotonic());
      return {};
    });
    const transport = withRateLimit({ clock, perSecond: 20, burst: 5 })(sockets);

    const all: Promise<unknown>[] = [];
    for (let n = 0; n < 200; n += 1) {
      all.push(transport.send(get));
      await clock.advance(random.int(60));
    }
    await clock.runUntilIdle();
    await Promise.all(all);

    for (const [index, time] of times.entries()) {
      const within = times.slice(0, index + 1).filter((earlier) => earlier > time - 1000).length;
      assert.ok(within <= 25 + 1, `${within} requests in one second`);
    }
  });

  it("refuses a limit that allows no request", () => {
    const clock = new FakeClock();

    for (const options of [{ perSecond: 0 }, { perSecond: Number.NaN }, { perSecond: 5, burst: 0 }]) {
      assert.throws(() => withRateLimit({ clock, ...options }), ArgumentError);
    }
  });
});

describe("withFence", () => {
  it("never refuses reads, and refuses writes while mayWrite throws", async () => {
    let isLeader = true;
    const sockets = new ScriptedTransport({});
    const transport = withFence(() => {
      if (!isLeader) throw new Error("the lease ended");
    })(sockets);

    await transport.send(post);
    isLeader = false;
    await transport.send(get);
    await transport.send({ ...post, isReadOnly: true });

    await assert.rejects(
      transport.send(post),
      (error) =>
        error instanceof FencedError &&
        error.retryable &&
        error.outcome === "not-applied" &&
        error.message.startsWith("POST /api/v1/pods was not sent") &&
        /lease ended/.test(String(error.cause)),
    );
    assert.equal(sockets.requests.length, 3);
  });

  it("calls mayWrite again just before the request is written", async () => {
    let isLeader = true;
    const sockets = new ScriptedTransport({});
    const slow: Transport = {
      async send(request) {
        await Promise.resolve();
        isLeader = false;
        return sockets.send(request);
      },
    };
    let earlier = 0;
    const transport = withFence(() => {
      if (!isLeader) throw new Error("the lease ended");
    })(slow);

    await assert.rejects(transport.send({ ...post, beforeSending: () => (earlier += 1) }), FencedError);

    assert.equal(sockets.requests.length, 0);
    assert.equal(earlier, 1, "the check that was there before is kept");
  });
});

describe("withCorrelation", () => {
  it("adds the Audit-ID to requests without one", async () => {
    const sockets = new ScriptedTransport({});
    let id: string | undefined = "r-1";
    const transport = withCorrelation(() => id)(sockets);

    await transport.send({ ...get, headers: { accept: "x" } });
    await transport.send({ ...get, headers: { "Audit-ID": "own" } });
    id = undefined;
    await transport.send(get);

    assert.deepEqual(
      sockets.requests.map(({ headers }) => headers),
      [{ accept: "x", "audit-id": "r-1" }, { "Audit-ID": "own" }, undefined],
    );
  });

  it("refuses an ID that is not a valid header value", async () => {
    for (const id of ["", "a b", "a\nb", "x".repeat(65), "é"]) {
      const transport = withCorrelation(() => id)(new ScriptedTransport({}));

      await assert.rejects(transport.send(get), ArgumentError, id);
    }
  });
});

describe("withWarnings", () => {
  it("reports each text once with its request, and ignores other codes", async () => {
    const sockets = new ScriptedTransport(
      { headers: { warning: '299 - "old version", 199 - "cache", 299 - ""' } },
      { headers: { warning: '299 - "old version", 299 - "unknown field \\"spec.x\\""' } },
      {},
    );
    const calls: string[] = [];
    const transport = withWarnings({ onWarning: ({ text }, { path }) => calls.push(`${path} ${text}`) })(sockets);

    for (let n = 0; n < 3; n += 1) await transport.send(get);

    assert.deepEqual(calls, ["/api/v1/pods old version", '/api/v1/pods unknown field "spec.x"']);
  });

  it("remembers the most recent texts up to the limit", async () => {
    const texts = ["a", "b", "a", "c", "a", "b"];
    const sockets = new ScriptedTransport(...texts.map((text) => ({ headers: { warning: `299 - "${text}"` } })));
    const calls: string[] = [];
    const transport = withWarnings({ onWarning: ({ text }) => calls.push(text), rememberedMax: 2 })(sockets);

    for (const _ of texts) await transport.send(get);

    assert.deepEqual(calls, ["a", "b", "c", "b"]);
  });
});

describe("request metrics", () => {
  it("count attempts, retries, waits, durations and sizes", async () => {
    const clock = new FakeClock();
    const { calls, observer } = recorder();
    const host = "h:1";
    const sockets = new ScriptedTransport(busy, { text: "12345" }, { error: new NetworkError({}) }, { text: "line" });
    const transport = layered(sockets, [
      withMetrics({ observer, clock, host }),
      withRetries({
        clock,
        random: new SeededRandom(1),
        onRetry: ({ method }, { status }) => observer.requestRetriesTotal({ code: String(status), verb: method, host }),
      }),
      withRateLimit({
        clock,
        perSecond: 100,
        onWait: ({ method }, ms) => observer.rateLimiterDurationSeconds({ verb: method, host }, ms / 1000),
      }),
      withAttemptMetrics({ observer, host }),
    ]);

    const response = transport.send(post);
    await clock.runUntilIdle();
    await textOf(await response);
    await assert.rejects(transport.send(get), NetworkError);
    await textOf(await transport.send({ ...get, isStream: true }));

    assert.deepEqual(calls, [
      'requestSizeBytes {"verb":"POST","host":"h:1"} 2',
      'rateLimiterDurationSeconds {"verb":"POST","host":"h:1"} 0',
      'requestsTotal {"code":"429","method":"POST","host":"h:1"}',
      'requestRetriesTotal {"code":"429","verb":"POST","host":"h:1"}',
      'rateLimiterDurationSeconds {"verb":"POST","host":"h:1"} 0',
      'requestsTotal {"code":"200","method":"POST","host":"h:1"}',
      'responseSizeBytes {"verb":"POST","host":"h:1"} 5',
      'requestDurationSeconds {"verb":"POST","host":"h:1"} >2',
      'rateLimiterDurationSeconds {"verb":"GET","host":"h:1"} 0',
      'requestsTotal {"code":"<error>","method":"GET","host":"h:1"}',
      'requestDurationSeconds {"verb":"GET","host":"h:1"} 0',
      'rateLimiterDurationSeconds {"verb":"GET","host":"h:1"} 0',
      'requestsTotal {"code":"200","method":"GET","host":"h:1"}',
    ]);
  });

  it("count a canceled or broken body once", async () => {
    const clock = new FakeClock();
    const { calls, observer } = recorder();
    const sockets = new ScriptedTransport(
      { text: "abc" },
      { pieces: ["ab", new Error("cut")] },
      { pieces: ["a", "b"] },
    );
    const transport = withMetrics({ observer, clock, host: "h" })(sockets);

    const unread = await transport.send(get);
    unread.body.cancel();
    unread.body.cancel();
    await assert.rejects(textOf(await transport.send(get)), /cut/);
    for await (const _ of (await transport.send(get)).body) break;

    const sizes = calls.filter((line) => line.startsWith("responseSizeBytes")).map((line) => line.slice(-1));
    assert.deepEqual(sizes, ["0", "2", "1"]);
    assert.equal(sockets.open, 0);
  });

  it("have the names, labels and buckets of client-go", () => {
    assert.deepEqual(
      Object.values(restClientMetrics).map(({ name, labels }) => `${name}{${labels.join(",")}}`),
      [
        "rest_client_requests_total{code,method,host}",
        "rest_client_request_duration_seconds{verb,host}",
        "rest_client_request_retries_total{code,verb,host}",
        "rest_client_rate_limiter_duration_seconds{verb,host}",
        "rest_client_request_size_bytes{verb,host}",
        "rest_client_response_size_bytes{verb,host}",
      ],
    );
    assert.equal(restClientMetrics.requestDurationSeconds.buckets?.length, 12);
  });
});

function retrying(
  scripts: Script[],
  { clock = new FakeClock(), ...options }: Partial<RetryOptions> & { clock?: FakeClock } = {},
): { clock: FakeClock; sockets: ScriptedTransport; transport: Transport; retries: number[] } {
  const sockets = new ScriptedTransport(...scripts);
  const retries: number[] = [];
  const transport = withRetries({
    clock,
    random: new SeededRandom("retries"),
    onRetry: (_, { status }) => retries.push(status),
    ...options,
  })(sockets);
  return { clock, sockets, transport, retries };
}

/** Records all calls. Durations that include jitter are rounded. */
function recorder(): { calls: string[]; observer: RequestObserver } {
  const calls: string[] = [];
  const note =
    (name: string) =>
    (labels: object, value?: number): void => {
      const shown = value === undefined ? "" : value > 2 && value < 3.1 ? " >2" : ` ${value}`;
      calls.push(`${name} ${JSON.stringify(labels)}${shown}`);
    };
  return {
    calls,
    observer: {
      requestsTotal: note("requestsTotal"),
      requestDurationSeconds: note("requestDurationSeconds"),
      requestRetriesTotal: note("requestRetriesTotal"),
      rateLimiterDurationSeconds: note("rateLimiterDurationSeconds"),
      requestSizeBytes: note("requestSizeBytes"),
      responseSizeBytes: note("responseSizeBytes"),
    },
  };
}
