import assert from "node:assert/strict";
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import { Holds } from "../router/holds.ts";
import type { HoldPlan } from "../router/route-plan.ts";
import { fetchH2, Loopback } from "../testing/loopback.ts";
import { baseline, respondWith } from "../testing/plans.ts";
import { TwoChoiceBalancer } from "../upstream/two-choice-balancer.ts";

const max = 16;
const get = { ":method": "GET", ":path": "/", ":authority": "cart" };

/** Opens streams and leaves them open. Returns the statuses of those that are answered. */
function stall(client: ClientHttp2Session, count: number): { readonly streams: ClientHttp2Stream[]; refused: number } {
  const stalled = { streams: [] as ClientHttp2Stream[], refused: 0 };
  for (let index = 0; index < count; index += 1) {
    const stream = client.request({ ...get, ":path": "/stall" }, { endStream: true });
    stream.on("error", () => undefined);
    stream.on("response", (headers) => (stalled.refused += headers[":status"] === 503 ? 1 : 0));
    stalled.streams.push(stream);
  }
  return stalled;
}

for (const engine of ["http2", "safe"] as const) {
  describe(`a client of the ${engine} engine with thousands of requests`, () => {
    it("cannot use up the pending requests of a workload", async () => {
      let arrived = 0;
      await using stand = await new Loopback({
        engine,
        chooseBy: new TwoChoiceBalancer({
          clock: systemClock,
          random: new SeededRandom(1),
          limits: { pendingMax: max },
        }),
        onStream: (stream, headers) => {
          arrived += 1;
          // Others never get an answer.
          if (headers[":path"] !== "/stall") stream.respond({ ":status": 200 }, { endStream: true });
        },
      }).start();
      const greedy = [stand.connect(), stand.connect()].map((client) => stall(client, 3 * max));
      const settled = (): boolean => arrived + greedy.reduce((sum, { refused }) => sum + refused, 0) === 6 * max;
      while (!settled()) await new Promise((resolve) => setImmediate(resolve));

      const { headers } = await fetchH2(stand.connect(), get);

      assert.equal(headers[":status"], 200);
      assert.ok(arrived > max / 2 && arrived < max, `${arrived} requests arrived`);

      const [first] = greedy;
      for (const stream of first?.streams ?? []) stream.close(constants.NGHTTP2_CANCEL);
      const before = arrived;
      const next = stall(stand.connect(), max);
      while (arrived - before + next.refused < max) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(arrived - before >= max / 4, `places that are free again: ${arrived - before}`);
    });

    it("cannot use up the held requests of a workload", async () => {
      const clock = new FakeClock();
      const holds = new Holds({ clock, limits: { heldMax: max, heldBytesMax: 1_000 } });
      const plan: HoldPlan = {
        type: "hold",
        destination: baseline,
        workload: "shop/cart",
        wait: (signal, bytes = 0, client) =>
          holds.wait(
            {
              destination: baseline,
              workload: "shop/cart",
              bytes,
              holdMs: 1_000,
              retry: () => undefined,
              expired: () => respondWith({ status: 504 }),
              overflow: () => respondWith({ status: 503 }),
            },
            signal,
            client,
          ),
      };
      await using stand = await new Loopback({ engine, onStream: () => undefined, route: () => plan }).start();
      const greedy = stall(stand.connect(), 3 * max);
      while (greedy.refused < (5 * max) / 2) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(holds.size, max / 2);

      stall(stand.connect(), 1);
      while (holds.size === max / 2) await new Promise((resolve) => setImmediate(resolve));

      for (const stream of greedy.streams) stream.close(constants.NGHTTP2_CANCEL);
      while (holds.size > 1) await new Promise((resolve) => setImmediate(resolve));
      const again = stall(stand.connect(), 1);
      while (holds.size < 2) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(again.refused, 0);
    });
  });
}
