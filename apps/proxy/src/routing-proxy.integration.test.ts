import assert from "node:assert/strict";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server as TcpServer } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import { freePorts } from "@homeostat/operator-testing";
import { connectTcp } from "@homeostat/proxy";
import type { RouteTable } from "@homeostat/routing";
import { recordingLogger, type LogLine } from "@homeostat/runtime";
import { LevelSetting } from "./admin/level-logger.ts";
import { type ProxyNetwork, RoutingProxy } from "./routing-proxy.ts";
import { readArguments } from "./settings/flags.ts";
import { FakeRouteServer } from "./testing/fake-route-server.ts";
import { cartTable, sidecarTable } from "./testing/tables.ts";

const key = "k3v9q2m7x1c4d";
const synced = { op: "SYNCED", version: 1, epoch: "one", snapshot: true };

interface Stand {
  readonly server: FakeRouteServer;
  readonly proxy: RoutingProxy;
  readonly clock: FakeClock;
  readonly lines: readonly LogLine[];
  /** Returns a table whose baseline and fork are servers that respond with these names. */
  readonly table: (version?: string) => RouteTable;
  readonly listen: number;
  /** Stops the proxy as SIGTERM does, without waiting for its end. */
  abort(this: void): void;
  stop(this: void): Promise<void>;
  /** Ends the proxy without waiting for the clock. */
  kill(this: void): Promise<void>;
}

async function withProxy(
  run: (stand: Stand) => Promise<void>,
  words: readonly string[] = [],
  network?: ProxyNetwork,
): Promise<void> {
  await using server = await FakeRouteServer.start();
  const baseline = await respondWith("baseline");
  const fork = await respondWith("fork");
  const [listen = 0] = await freePorts(1);
  const clock = new FakeClock();
  const lines: LogLine[] = [];
  const read = readArguments(["--host=127.0.0.1", "--admin-port=0", "--name=p1", ...words], {}, "p1");
  if (read.run !== "proxy") throw new Error("the arguments ask for help");
  const proxy = new RoutingProxy({
    settings: read.settings,
    clock,
    random: new SeededRandom(1),
    log: recordingLogger(lines),
    level: new LevelSetting("info"),
    routeServer: async () => ({ url: server.url, ca: server.authority.cert, token: "t" }),
    adminToken: async () => "secret",
    network,
  });
  const stopping = new AbortController();
  const killed = new AbortController();
  const running = proxy.run(stopping.signal, { killed: killed.signal });
  let isEnded = false;
  void running.finally(() => {
    isEnded = true;
  });
  const kill = async (): Promise<void> => {
    killed.abort();
    stopping.abort();
    await running;
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await until(async () => {
      await clock.advance(1_000);
      return isEnded;
    });
    await running;
  };
  const table = (version = "v1"): RouteTable => {
    const { entries, ...rest } = cartTable({ version, listen });
    return {
      ...rest,
      ports: rest.ports.map((port) => ({ ...port, baselineTarget: addressOf(baseline) })),
      entries: entries.map((entry) => ({
        ...entry,
        ports: entry.ports.map((port) => ({ ...port, addresses: [addressOf(fork)] })),
      })),
    };
  };
  try {
    await until(() => server.streams.length === 1);
    const abort = (): void => stopping.abort();
    await run({ server, proxy, clock, lines, table, listen, abort, stop, kill });
  } finally {
    await stop();
    for (const each of [baseline, fork]) await close(each);
  }
}

async function respondWith(text: string): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader("x-seen-key", String(request.headers["x-routing-key"] ?? ""));
    response.end(`${text} ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function addressOf(server: Pick<TcpServer, "address">): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

function fetchText(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString("utf8"),
          headers: response.headers,
        }),
      );
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 4_000; turn += 1) {
    if (await condition()) return;
    await systemClock.sleep(5);
  }
  assert.fail("the condition did not become true within 20 s");
}

const isListening = (lines: readonly LogLine[]): boolean => lines.some(({ message }) => message === "Listening");

for (const engine of ["fast", "safe"]) {
  describe(`routing proxy with the ${engine} engine`, () => {
    it("routes requests by their key, names the route in the response, and confirms the table", async () => {
      await withProxy(
        async ({ server, table, listen, lines, proxy }) => {
          const before = await fetchText(proxy.adminPort ?? 0, "/readyz");
          server.send({ op: "ADD", table: table() }, synced);
          await until(() => isListening(lines));

          const without = await fetchText(listen, "/a");
          const byHeader = await fetchText(listen, "/b", { "x-routing-key": key });
          const byBaggage = await fetchText(listen, "/c", { baggage: `user=1,routing-key=${key}` });
          const unknown = await fetchText(listen, "/d", { "x-routing-key": "other-key" });

          assert.equal(before.status, 500);
          assert.equal(without.body, "baseline /a");
          assert.equal(without.headers["x-sandbox-route"], undefined);
          assert.equal(byHeader.body, "fork /b");
          assert.equal(byHeader.headers["x-sandbox-route"], "sandbox=pr-42; workload=cart");
          assert.equal(byHeader.headers["x-seen-key"], key);
          assert.equal(byBaggage.body, "fork /c");
          assert.equal(unknown.body, "baseline /d");
          assert.match(String(unknown.headers["x-sandbox-route"]), /unknown-key/);
          assert.equal((await fetchText(proxy.adminPort ?? 0, "/readyz")).status, 200);
          await until(() => server.acks.at(-1)?.version === 1);
        },
        [`--engine=${engine}`],
      );
    });

    it("routes HTTP/2 requests on the same port", async () => {
      await withProxy(
        async ({ server, table, listen, lines }) => {
          const upstream = createHttp2Server((request, response) => response.end(`h2 ${request.url}`));
          const upstreamSessions: ServerHttp2Session[] = [];
          upstream.on("session", (each) => upstreamSessions.push(each));
          await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
          const { ports, ...rest } = table();
          const target = { ...rest, ports: ports.map((port) => ({ ...port, baselineTarget: addressOf(upstream) })) };
          server.send({ op: "ADD", table: target }, synced);
          await until(() => isListening(lines));
          const session = connect(`http://127.0.0.1:${listen}`);

          const body = await new Promise<string>((resolve, reject) => {
            const stream = session.request({ ":path": "/x" });
            const chunks: Buffer[] = [];
            stream.on("data", (chunk: Buffer) => chunks.push(chunk));
            stream.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
            stream.on("error", reject);
            session.on("error", reject);
          });

          assert.equal(body, "h2 /x");
          await new Promise<void>((resolve) => session.close(resolve));
          // The proxy keeps its connection to the upstream.
          for (const each of upstreamSessions) each.destroy();
          await new Promise<void>((resolve) => upstream.close(() => resolve()));
        },
        [`--engine=${engine}`],
      );
    });

    it("injects the faults of a sandbox into requests with its key only", async () => {
      await withProxy(
        async ({ server, table, listen, lines, clock }) => {
          const { entries, ...rest } = table();
          const faults = [
            { percent: 0, abortCode: 500 },
            { methods: ["HEAD"], abortCode: 405 },
            { paths: [{ prefix: "/slow" }], delayMs: 300, jitterMs: 100 },
            { paths: [{ exact: "/gone" }], abortCode: 410 },
            { paths: [{ prefix: "/shop.Cart" }], abortGrpcStatus: 8 },
          ];
          const faulty = { ...rest, entries: entries.map((each) => ({ ...each, middleware: { faults } })) };
          server.send({ op: "ADD", table: faulty }, synced);
          await until(() => isListening(lines));
          const keyed = { "x-routing-key": key };

          assert.equal((await fetchText(listen, "/gone")).body, "baseline /gone");
          assert.equal((await fetchText(listen, "/gone", keyed)).status, 410);
          assert.equal((await fetchText(listen, "/gone/deeper", keyed)).body, "fork /gone/deeper");
          assert.equal((await fetchText(listen, "/shop.Cart/Get", keyed)).body, "fork /shop.Cart/Get");
          assert.equal((await fetchText(listen, "/slow")).body, "baseline /slow");
          let isAnswered = false;
          const slow = fetchText(listen, "/slow", keyed).finally(() => {
            isAnswered = true;
          });
          // Requests that arrive later are answered meanwhile.
          for (let count = 0; count < 3; count += 1) await fetchText(listen, "/quick", keyed);
          assert.equal(isAnswered, false);
          await until(async () => {
            await clock.advance(100);
            return isAnswered;
          });
          assert.equal((await slow).body, "fork /slow");

          const session = connect(`http://127.0.0.1:${listen}`);
          const status = await new Promise<string>((resolve, reject) => {
            const stream = session.request({
              ":method": "POST",
              ":path": "/shop.Cart/Get",
              "content-type": "application/grpc",
              te: "trailers",
              ...keyed,
            });
            stream.on("response", (head) => resolve(`${head[":status"]} ${String(head["grpc-status"])}`));
            stream.on("error", reject);
            session.on("error", reject);
            stream.end();
            stream.resume();
          });
          assert.equal(status, "200 8");
          await new Promise<void>((resolve) => session.close(resolve));
        },
        [`--engine=${engine}`],
      );
    });

    it("fails no request while its table changes", async () => {
      await withProxy(
        async ({ server, table, listen, lines }) => {
          server.send({ op: "ADD", table: table() }, synced);
          await until(() => isListening(lines));
          let version = 1;
          const ending = new AbortController();
          const changes = (async () => {
            while (!ending.signal.aborted) {
              version += 1;
              server.send({ op: "REPLACE", version, table: table(`v${version}`) });
              await systemClock.sleep(5);
            }
          })();

          const replies: Reply[] = [];
          for (let count = 0; count < 100; count += 1) {
            const headers = count % 2 === 0 ? {} : { "x-routing-key": key };
            replies.push(...(await Promise.all([1, 2, 3].map(() => fetchText(listen, `/${count}`, headers)))));
          }
          ending.abort();
          await changes;

          assert.ok(version > 5);
          assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
          assert.equal(replies.filter(({ body }) => body.startsWith("fork")).length, 150);
        },
        [`--engine=${engine}`],
      );
    });
  });
}

describe("a sidecar", () => {
  /** Runs a sidecar in front of an application that responds with `baseline`. */
  const withSidecar = async (
    run: (stand: Stand & { readonly sidecarPort: number }) => Promise<void>,
  ): Promise<void> => {
    const application = await respondWith("local");
    const [sidecarPort = 0] = await freePorts(1);
    const { port } = application.address() as AddressInfo;
    const words = ["--role=sidecar", "--namespace=shop", `--application-ports=http=${port}:${sidecarPort}`];
    try {
      await withProxy(async (stand) => {
        await run({ ...stand, sidecarPort });
        await close(application);
      }, words);
    } finally {
      await close(application).catch(() => undefined);
    }
  };

  it("passes requests on to the application before it has tables, and is ready after 5 seconds", async () => {
    await withSidecar(async ({ sidecarPort, lines, clock, proxy, server }) => {
      await until(() => isListening(lines));

      assert.equal((await fetchText(sidecarPort, "/a", { "x-routing-key": key })).body, "local /a");
      assert.equal((await fetchText(proxy.adminPort ?? 0, "/readyz")).status, 500);
      await clock.advance(5_000);
      assert.equal((await fetchText(proxy.adminPort ?? 0, "/readyz")).status, 200);
      assert.equal(server.streams[0]?.query.get("role"), "sidecar");
    });
  });

  it("routes by key, keeps probes of the kubelet local, and confirms the table", async () => {
    await withSidecar(async ({ sidecarPort, server, table }) => {
      server.send({ op: "ADD", table: sidecarTable(table()) }, synced);
      await until(() => server.acks.at(-1)?.version === 1);

      const headers = { "x-routing-key": key };
      assert.equal((await fetchText(sidecarPort, "/a")).body, "local /a");
      assert.equal((await fetchText(sidecarPort, "/b", headers)).body, "fork /b");
      const probe = await fetchText(sidecarPort, "/healthz", { ...headers, "user-agent": "kube-probe/1.36" });
      assert.equal(probe.body, "local /healthz");

      server.send({ op: "REMOVE", version: 2, table: { namespace: "shop", service: "cart" } });
      await until(() => server.acks.at(-1)?.version === 2);
      assert.equal((await fetchText(sidecarPort, "/c", headers)).body, "local /c");
    });
  });

  it("ends after its application", async () => {
    // `withSidecar` closes the application after this function, and then waits for the end of the sidecar.
    await withSidecar(async ({ sidecarPort, lines, clock, abort }) => {
      await until(() => isListening(lines));
      abort();
      await until(() => lines.some(({ message }) => message === "Stopping, waiting for the application to end"));
      await clock.advance(60_000);

      assert.equal((await fetchText(sidecarPort, "/late")).body, "local /late");
    });
  });
});

describe("routing proxy", () => {
  it("reports a request that waits for a fork, repeats it, and answers it when the fork is ready", async () => {
    await withProxy(async ({ server, table, listen, lines, clock }) => {
      const awake = table();
      const entries = awake.entries.map((entry) => ({
        ...entry,
        sandboxUid: "u1",
        holdSeconds: 90,
        ports: entry.ports.map((port) => ({ ...port, addresses: [] })),
      }));
      server.send({ op: "ADD", table: { ...awake, entries } }, synced);
      await until(() => isListening(lines));

      const replies = Promise.all([1, 2, 3].map((id) => fetchText(listen, `/${id}`, { "x-routing-key": key })));
      await until(async () => {
        await clock.advance(100);
        return server.reports.length >= 2;
      });
      server.send({ op: "REPLACE", version: 2, table: table("v2") });

      assert.deepEqual(
        (await replies).map(({ body }) => body),
        ["fork /1", "fork /2", "fork /3"],
      );
      for (const report of server.reports.slice(0, 2)) {
        assert.deepEqual(report, {
          proxy: "p1",
          activity: [{ namespace: "shop", service: "cart", sandboxUid: "u1", agoMs: 0, isWaiting: true }],
          sightings: [],
        });
      }
    });
  });

  it("closes the port of a table that is removed", async () => {
    await withProxy(async ({ server, table, listen, lines }) => {
      server.send({ op: "ADD", table: table() }, synced);
      await until(() => isListening(lines));

      server.send({ op: "REMOVE", version: 2, table: { namespace: "shop", service: "cart" } });

      await until(() =>
        fetchText(listen, "/").then(
          () => false,
          () => true,
        ),
      );
    });
  });

  it("reports a port that it cannot open instead of confirming the table", async () => {
    await withProxy(async ({ server, table, listen, proxy }) => {
      const blocking = createServer();
      await new Promise<void>((resolve) => blocking.listen(listen, "127.0.0.1", resolve));

      server.send({ op: "ADD", table: table() }, synced);
      await until(() => server.acks.length === 1);

      assert.deepEqual(
        server.acks[0]?.errors.map(({ service }) => service),
        ["cart"],
      );
      assert.match((await fetchText(proxy.adminPort ?? 0, "/readyz")).body, /cannot listen/);
      await close(blocking);
      server.send({ op: "REPLACE", version: 2, table: table("v2") });
      await until(() => server.acks.at(-1)?.version === 2);
      assert.deepEqual(server.acks.at(-1)?.errors, []);
    });
  });

  it("finishes a request to a fork whose route is removed meanwhile", async () => {
    await withProxy(async ({ server, table, listen, lines }) => {
      const held = createServer();
      await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
      const arrived = new Promise<{ end(text: string): void }>((resolve) => {
        held.on("request", (_request, response) => resolve(response));
      });
      const { entries, ...rest } = table();
      const slow = entries.map(({ ports, ...entry }) => ({
        ...entry,
        ports: ports.map((port) => ({ ...port, addresses: [addressOf(held)] })),
      }));
      server.send({ op: "ADD", table: { ...rest, entries: slow } }, synced);
      await until(() => isListening(lines));
      const running = fetchText(listen, "/slow", { "x-routing-key": key });
      const response = await arrived;

      server.send({ op: "REPLACE", version: 2, table: { ...rest, version: "v2", entries: [] } });
      await until(() => server.acks.at(-1)?.version === 2);
      const next = await fetchText(listen, "/next", { "x-routing-key": key });
      response.end("done");
      const reply = await running;

      assert.equal(next.body, "baseline /next");
      assert.equal(reply.body, "done");
      await close(held);
    });
  });

  it("finishes running requests after SIGTERM, and is not ready meanwhile", async () => {
    await withProxy(async ({ server, table, listen, lines, proxy, stop }) => {
      const held = createServer();
      await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
      const arrived = new Promise<{ end(text: string): void }>((resolve) => {
        held.on("request", (_request, response) => resolve(response));
      });
      const { ports, ...rest } = table();
      const target = { ...rest, ports: ports.map((port) => ({ ...port, baselineTarget: addressOf(held) })) };
      server.send({ op: "ADD", table: target }, synced);
      await until(() => isListening(lines));
      const running = fetchText(listen, "/slow");
      const response = await arrived;

      const stopped = stop();
      await until(() => lines.some(({ message }) => message.startsWith("Stopping")));
      const ready = await fetchText(proxy.adminPort ?? 0, "/readyz");
      response.end("done");
      const reply = await running;
      await stopped;

      assert.equal(ready.status, 500);
      assert.equal(reply.body, "done");
      await close(held);
    });
  });

  it("listens and connects in a network that is passed in, and ends at once when it is killed", async () => {
    const ports = new Map<number, number>();
    const connected: string[] = [];
    const network: ProxyNetwork = {
      adminHost: "127.0.0.1",
      connect: (address) => {
        connected.push(address);
        return connectTcp(address);
      },
      listen: async (server, port) => {
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        ports.set(port, (server.address() as AddressInfo).port);
      },
    };
    await withProxy(
      async ({ server, table, lines, listen, kill }) => {
        server.send({ op: "ADD", table: table() }, synced);
        await until(() => isListening(lines));

        const reply = await fetchText(ports.get(listen) ?? 0, "/");
        await kill();

        assert.notEqual(ports.get(listen), listen);
        assert.equal(reply.body, "baseline /");
        assert.deepEqual(connected, [table().ports[0]?.baselineTarget]);
        await assert.rejects(fetchText(ports.get(listen) ?? 0, "/"));
      },
      [],
      network,
    );
  });

  it("row 54: routes on when its snapshot cannot be written, and logs a warning", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-proxy-"));
    // As on a full disk, the write fails: a file is where the folder should be.
    await writeFile(join(folder, "routes"), "");
    try {
      await withProxy(
        async ({ server, table, lines, listen }) => {
          server.send({ op: "ADD", table: table() }, synced);
          await until(() => isListening(lines));
          await until(() => lines.some(({ message }) => message === "Failed to write snapshot of routes"));

          assert.equal((await fetchText(listen, "/")).body, "baseline /");
        },
        [`--snapshot-file=${join(folder, "routes", "tables.json")}`],
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("uses the tables of its snapshot while the route server sends nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-proxy-"));
    const words = [`--snapshot-file=${join(folder, "tables.json")}`];
    let port = 0;
    try {
      await withProxy(async ({ server, table, lines, listen }) => {
        port = listen;
        server.send({ op: "ADD", table: table() }, synced);
        await until(() => isListening(lines));
      }, words);
      await withProxy(async ({ lines, clock, proxy }) => {
        await until(() => isListening(lines));

        // The servers of the first proxy are gone, so the response shows that the proxy tried their address.
        assert.equal((await fetchText(port, "/")).status, 502);
        assert.equal((await fetchText(proxy.adminPort ?? 0, "/readyz")).status, 500);
        await clock.advance(5_000);
        assert.equal((await fetchText(proxy.adminPort ?? 0, "/readyz")).status, 200);
      }, words);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
