import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { key, Widget, widget } from "./testing/kinds.ts";
import { ScriptedTransport } from "./testing/scripted-transport.ts";
import { closeServers, connectionTo, serve, until } from "./testing/servers.ts";
import { FencedError } from "./transport/fence.ts";
import type { RequestObserver } from "./transport/metrics.ts";
import type { Layer } from "./transport/transport.ts";
import { Client } from "./client.ts";
import { createClient } from "./create-client.ts";

after(closeServers);

describe("createClient", () => {
  it("applies the layers in the documented order", async () => {
    const clock = new FakeClock();
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(name);
    const observer: RequestObserver = {
      requestsTotal: ({ code, host }) => calls.push(`attempt ${code} ${host}`),
      requestDurationSeconds: note("duration"),
      requestRetriesTotal: note("retry"),
      rateLimiterDurationSeconds: note("rate"),
      requestSizeBytes: note("size"),
      responseSizeBytes: note("response size"),
    };
    const own: Layer = (next) => ({
      send: (request) => {
        calls.push("own layer");
        return next.send(request);
      },
    });
    const sockets = new ScriptedTransport(
      { status: 429, headers: { "retry-after": "1" } },
      { json: widget(), headers: { warning: '299 - "old"' } },
    );
    let asked = 0;
    const client = createClient(sockets, {
      clock,
      random: new SeededRandom(1),
      layers: [own],
      observer,
      host: "h:1",
      onWarning: ({ text }) => calls.push(`warning ${text}`),
      correlationId: () => "r-1",
      rateLimit: { perSecond: 100 },
      mayWrite: () => void (asked += 1),
      defaults: { fieldManager: "shop" },
    });

    const writing = client.update(Widget, widget());
    await clock.runUntilIdle();
    await writing;

    assert.deepEqual(calls, [
      "own layer",
      "size",
      "rate",
      "attempt 429 h:1",
      "retry",
      "rate",
      "attempt 200 h:1",
      "warning old",
      "response size",
      "duration",
    ]);
    assert.equal(sockets.last.headers?.["audit-id"], "r-1");
    assert.match(sockets.last.path, /fieldManager=shop/);
    assert.equal(asked, 4, "for each attempt: on its way, and at the last moment");
  });

  it("retries by default, and fences writes only if mayWrite is set", async () => {
    const busy = { status: 429, headers: { "retry-after": "1" } };
    const impatient = createClient(new ScriptedTransport(busy), { retries: false });
    const fenced = createClient(new ScriptedTransport({ json: widget() }), {
      mayWrite: () => {
        throw new Error("no longer the leader");
      },
    });

    await assert.rejects(impatient.get(Widget, key), /429/);
    assert.equal((await fenced.get(Widget, key))?.kind, "Widget");
    await assert.rejects(fenced.update(Widget, widget()), FencedError);
    await fenced.update(Widget, widget(), { dryRun: true });
  });

  it("opens sockets to a connection and closes them", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.end(JSON.stringify(widget())));
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });

    {
      using client = createClient(connectionTo(server), { env: {} });
      await client.get(Widget, key);
      assert.equal(connections, 1);
    }

    await until(() => connections === 0);
  });

  it("does not close a transport that was passed in", () => {
    const client = createClient(new ScriptedTransport({}));

    client.close();
    client[Symbol.dispose]();
  });
});

describe("Client.fromKubeconfig", () => {
  it("connects to the server that kubectl would use", async () => {
    const seen: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      seen.push(`${request.headers.authorization} ${request.url}`);
      response.end(JSON.stringify(widget()));
    });
    const folder = await mkdtemp(join(tmpdir(), "homeostat-client-"));
    const file = join(folder, "config");
    await writeFile(
      file,
      `current-context: c
clusters: [{ name: c, cluster: { server: "${connectionTo(server).server}" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]`,
    );

    using client = await Client.fromKubeconfig({ file, env: {} });
    await client.get(Widget, key);
    await rm(folder, { recursive: true });

    assert.deepEqual(seen, ["Bearer t /prefix/apis/example.com/v1/namespaces/shop/widgets/a"]);
  });
});
