import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import { recordingLogger, type LogLine } from "@homeostat/runtime";
import { FakeRouteServer } from "../testing/fake-route-server.ts";
import { cartTable } from "../testing/tables.ts";
import { RouteClient } from "./route-client.ts";
import { TableStore } from "./table-store.ts";

interface Setup {
  readonly server: FakeRouteServer;
  readonly store: TableStore;
  readonly client: RouteClient;
  readonly clock: FakeClock;
  readonly lines: readonly LogLine[];
}

/** Runs a client against a fake server, with tokens `token-1`, `token-2`, and so on. */
async function withClient(
  run: (setup: Setup) => Promise<void>,
  inUse: Promise<void> = Promise.resolve(),
): Promise<void> {
  await using server = await FakeRouteServer.start();
  const store = new TableStore();
  const clock = new FakeClock();
  const lines: LogLine[] = [];
  let tokens = 0;
  const client = new RouteClient({
    address: async () => ({ url: server.url, ca: server.authority.cert, token: `token-${(tokens += 1)}` }),
    identity: { proxy: "proxy-1", role: "takeover", namespace: "shop", services: [] },
    store,
    clock,
    random: new SeededRandom(1),
    log: recordingLogger(lines),
    inUse: async () => {
      await inUse;
      return store.errors;
    },
  });
  const stop = new AbortController();
  const running = client.run(stop.signal);
  try {
    await until(() => server.streams.length === 1);
    await run({ server, store, client, clock, lines });
  } finally {
    stop.abort();
    await running;
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 4_000 && !condition(); turn += 1) await systemClock.sleep(5);
  assert.ok(condition(), "the condition did not become true within 20 s");
}

function hasLost(lines: readonly LogLine[]): boolean {
  return lines.some(({ message }) => message === "Lost route server, reconnecting");
}

const synced = { op: "SYNCED", version: 5, epoch: "one", snapshot: true };

describe("RouteClient", () => {
  it("receives tables, confirms their version, and reports their age", async () => {
    await withClient(async ({ server, store, client }) => {
      assert.equal(client.ageMs, undefined);

      server.send({ op: "ADD", table: cartTable() }, synced);
      await until(() => server.acks.length === 1);

      assert.deepEqual([...store.state.tables.keys()], ["shop/cart"]);
      assert.deepEqual(server.acks, [{ proxy: "proxy-1", epoch: "one", version: 5, errors: [] }]);
      assert.equal(client.ageMs, 0);
      assert.deepEqual(Object.fromEntries(server.streams[0]?.query ?? []), {
        role: "takeover",
        proxy: "proxy-1",
        namespace: "shop",
      });
    });
  });

  it("confirms the latest version once while a confirmation is on its way", async () => {
    await withClient(async ({ server }) => {
      server.holdsAcks = true;
      server.send({ op: "ADD", table: cartTable() }, synced);
      await until(() => server.acks.length === 1);

      for (const version of [6, 7, 8])
        server.send({ op: "REPLACE", version, table: cartTable({ version: `v${version}` }) });
      server.send({ op: "ADD", version: 9, table: { namespace: "shop", service: "bad", version: "x", ports: 1 } });
      server.releaseAcks();
      await until(() => server.acks.at(-1)?.version === 9);

      assert.deepEqual(
        server.acks.at(-1)?.errors.map(({ service }) => service),
        ["bad"],
      );
      assert.ok(server.acks.length <= 5);
    });
  });

  it("confirms tables only when they are in use", async () => {
    let open = (): void => undefined;
    const ports = new Promise<void>((resolve) => {
      open = resolve;
    });
    await withClient(async ({ server, store }) => {
      server.send({ op: "ADD", table: cartTable() }, synced, { op: "PING", version: 6 });
      await until(() => store.position?.version === 6);
      assert.deepEqual(server.acks, []);

      open();
      await until(() => server.acks.at(-1)?.version === 6);
    }, ports);
  });

  it("continues after the last version with a new token when the server ends the stream", async () => {
    await withClient(async ({ server, store, clock, client, lines }) => {
      server.send({ op: "ADD", table: cartTable() }, synced, { op: "PING", version: 8 });
      await until(() => store.position?.version === 8);

      server.streams[0]?.stream.end();
      await until(() => hasLost(lines));
      assert.equal(client.ageMs, 0);
      await clock.advance(1_000);
      assert.equal(client.ageMs, 1_000);
      await until(() => server.streams.length === 2);

      assert.equal(server.streams[1]?.query.get("from"), "one.8");
      assert.equal(server.streams[1]?.token, "token-2");
      assert.deepEqual([...store.state.tables.keys()], ["shop/cart"]);
      assert.equal(store.isSynced, false);
    });
  });

  it("reconnects after 30 s of silence", async () => {
    await withClient(async ({ server, store, clock, lines }) => {
      server.send(synced);
      await until(() => store.isSynced);

      await clock.advance(29_000);
      server.send({ op: "PING", version: 6 });
      await until(() => store.position?.version === 6);
      await clock.advance(29_000);
      assert.equal(server.streams.length, 1);
      await clock.advance(2_000);
      await until(() => hasLost(lines));
      await clock.advance(1_000);

      await until(() => server.streams.length === 2);
    });
  });

  it("reconnects when a line is not an operation", async () => {
    await withClient(async ({ server, clock, lines }) => {
      server.send(synced, { what: 1 });
      await until(() => hasLost(lines));
      await clock.advance(1_000);

      await until(() => server.streams.length === 2);
    });
  });

  it("connects again with a new token when the server says why it ends the stream", async () => {
    await withClient(async ({ server, clock, lines }) => {
      server.send(synced, { op: "END", reason: "TokenExpired", message: "the token has expired" });
      await until(() => hasLost(lines));
      await clock.advance(1_000);
      await until(() => server.streams.length === 2);

      assert.equal(server.streams[1]?.token, "token-2");
      assert.match(String(lines.find((line) => line.level === "warn")?.["error"]), /TokenExpired/);
    });
  });

  it("waits longer after each refusal, at most 10 s", async () => {
    await withClient(async ({ server, clock, lines }) => {
      server.status = 401;
      server.streams[0]?.stream.end();
      const delays = (): readonly number[] => lines.map((line) => Number(line["delayMs"])).filter(Number.isFinite);
      for (let attempt = 1; attempt <= 12; attempt += 1) {
        await until(() => delays().length === attempt);
        // No further: the time limit of the next connection would fire before the response arrives.
        await clock.advance((delays().at(-1) ?? 0) + 1);
      }

      assert.ok(delays().every((ms) => ms >= 250 && ms <= 10_000));
      assert.ok(Math.max(...delays()) > 4_000);
      assert.ok(lines.some((line) => line["status"] === 401));
    });
  });
});
