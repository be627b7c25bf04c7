import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { SeededRandom, systemClock } from "@homeostat/core";
import { compileTable, type CompiledTable, KeyReader } from "@homeostat/routing";
import { Http1Engine } from "../http1/engine.ts";
import { defaultLimits } from "../limits/limits.ts";
import { Listeners } from "../listener/listeners.ts";
import { connected } from "../testing/wire.ts";
import { connectTcp } from "../upstream/connect.ts";
import { TwoChoiceBalancer } from "../upstream/two-choice-balancer.ts";
import { Holds } from "./holds.ts";
import { RouteTables } from "./route-tables.ts";
import { TableRouter } from "./table-router.ts";

const key = "k3v9q2m7x1c4d";
const listen = 21_000;

async function startServer(name: string): Promise<{ server: Server; address: string }> {
  const server = createServer((_, response) => response.end(name)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, address: `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}` };
}

function tableOf(version: number, baselineTarget: string, addresses: readonly string[] | undefined): CompiledTable {
  const entry = { routingKey: key, sandbox: "pr-42", workload: "cart", source: "Sandbox" } as const;
  return compileTable({
    namespace: "shop",
    service: "cart",
    version: `${version}`,
    ports: [{ port: 80, listen, baselineTarget }],
    entries:
      addresses === undefined
        ? []
        : [{ ...entry, ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses }] }],
  });
}

describe("A change of the tables under load", () => {
  it("fails no request, and takes effect with the next one", async () => {
    const [base, fork, other] = await Promise.all(["base", "fork", "other"].map(startServer));
    assert.ok(base && fork && other);
    const limits = defaultLimits;
    const failures: string[] = [];
    const observer = { requestEnded: () => undefined, failed: (reason: string) => void failures.push(reason) };
    const random = new SeededRandom(1);
    const engine = new Http1Engine({
      balancer: new TwoChoiceBalancer({ clock: systemClock, random, limits }),
      clock: systemClock,
      limits,
      observer,
    });
    const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random });
    tables.onChange(({ addresses }) => engine.retain(addresses));
    tables.swap({ tables: [tableOf(0, base.address, [fork.address])] });
    const router = new TableRouter({ tables, listen, holds: new Holds({ clock: systemClock, limits }) });
    const { deadlines } = engine;
    const listeners = new Listeners({
      http1: engine,
      deadlines,
      limits,
      observer,
      connect: connectTcp,
      host: "127.0.0.1",
    });
    const { port } = await listeners.open({ port: 0, router, baseline: () => router.baseline });
    const expected = ["base", "fork", "other"];
    let version = 0;
    const run = async (fields: string, allowed: readonly string[]): Promise<void> => {
      const client = await connected(connect({ port, host: "127.0.0.1", noDelay: true }));
      for (let n = 0; n < 100; n += 1) {
        client.send(`GET / HTTP/1.1\r\nhost: a\r\n${fields}\r\n`);
        const head = await client.until("\r\n\r\n");
        assert.match(head, /^HTTP\/1.1 200 /);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        const body = await client.until(
          allowed.find((each) => each.length === length && client.received.startsWith(each)) ?? allowed[0] ?? "",
        );
        assert.ok(allowed.includes(body), body);
        // Tables change in the middle of the requests of the other connections.
        version += 1;
        const targets = [[fork.address], [other.address], undefined][version % 3];
        tables.swap({ tables: [tableOf(version, base.address, targets)] });
      }
      client.socket.destroy();
    };

    await Promise.all([
      ...Array.from({ length: 4 }, () => run("", ["base"])),
      ...Array.from({ length: 4 }, () => run(`x-routing-key: ${key}\r\n`, expected)),
    ]);
    tables.swap({ tables: [tableOf(9999, base.address, [other.address])] });
    const last = await connected(connect({ port, host: "127.0.0.1" }));
    last.send(`GET / HTTP/1.1\r\nhost: a\r\nx-routing-key: ${key}\r\n\r\n`);
    await last.until("other");
    last.socket.destroy();

    assert.deepEqual(failures, []);
    listeners.close();
    for (const { server } of [base, fork, other]) {
      server.close();
      server.closeAllConnections();
    }
  });
});
