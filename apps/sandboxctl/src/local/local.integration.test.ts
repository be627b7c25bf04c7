// Local commands with the installed operator and a tunnel server on the loopback interface, which records what it receives.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { LocalWorkload, Sandbox } from "@homeostat/sandbox-operator";
import { type Finished, runLine, type RunLineOptions } from "../testing/run-line.ts";
import { TestShop } from "../testing/shop.ts";
import { TestTunnelServer } from "../testing/tunnel-server.ts";
import { readStates } from "./state-file.ts";

describe("sandboxctl local", () => {
  let shop: TestShop;
  let server: TestTunnelServer;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    shop = await TestShop.open();
    server = await TestTunnelServer.open();
    await shop.admin.create(
      Sandbox,
      Sandbox.make({ metadata: { name: "pr", namespace: "shop" }, spec: { routingKey: "key-of-pr" } }),
    );
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const machine = (name = "config") => ({
    configFolder: join(folder, name),
    stateFolder: join(folder, `${name}-state`),
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  const run = (line: string | readonly string[], options: RunLineOptions = {}): Promise<Finished> =>
    runLine(line, { client: shop.jane, machine: machine(), ...options });
  /** Publishes where to attach, as the operator does. */
  const publish = async (name: string): Promise<LocalWorkload> =>
    shop.until(async () => {
      const workload = await shop.admin.get(LocalWorkload, { namespace: "shop", name });
      if (workload?.status.routingKey === undefined) return undefined;
      const merge = { status: { tunnel: { url: server.address, caSha256: server.caSha256 } } };
      await shop.admin.patch(LocalWorkload, { namespace: "shop", name }, { merge }, { subresource: "status" });
      return workload;
    });
  const isGone = async (name: string): Promise<boolean> => {
    const found = await shop.admin.get(LocalWorkload, { namespace: "shop", name });
    return found === undefined || found.metadata.deletionTimestamp !== undefined;
  };

  it("run gives a command the environment, files, proxy and key, and exits with its code", async () => {
    const script = join(folder, "app.mjs");
    const report = join(folder, "report.json");
    await writeFile(
      script,
      `import { createServer, request } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
const proxy = new URL(process.env.HTTP_PROXY);
const app = createServer((incoming, response) => {
  response.end("local answer");
  if (incoming.url === "/stop") setTimeout(() => process.exit(7), 50);
}).listen(${server.appPort}, "127.0.0.1");
request({ host: proxy.hostname, port: proxy.port, path: "http://orders.shop.svc/list" }, (response) => {
  let body = "";
  response.setEncoding("utf8").on("data", (text) => (body += text)).on("end", () => {
    const { LEVEL, SANDBOX_ROUTING_KEY, SANDBOX_FILES } = process.env;
    const conf = readFileSync(SANDBOX_FILES + "/etc/cart/app.conf", "utf8");
    writeFileSync(${JSON.stringify(report)}, JSON.stringify({ LEVEL, SANDBOX_ROUTING_KEY, conf, body }));
  });
}).end();
`,
    );
    const line = ["local", "run", "--sandbox", "pr", "--service", "cart", "--port", `${server.appPort}:8080`, "--"];
    const running = run([...line, process.execPath, script]);
    await publish("pr-cart");

    const report1 = await shop.until(async () => readFile(report, "utf8").catch(() => undefined));
    assert.deepEqual(JSON.parse(report1), {
      LEVEL: "info",
      SANDBOX_ROUTING_KEY: "key-of-pr",
      conf: "a=1\n",
      body: "cluster answer",
    });
    assert.equal(server.outbound[0]?.destination, "orders.shop.svc:80");
    assert.match(server.outbound[0]?.head ?? "", /^GET \/list HTTP\/1\.1\r\n[^]*x-routing-key: key-of-pr\r\n/);
    const [state] = await shop.until(async () => {
      const states = await readStates(machine().stateFolder);
      return states[0]?.ports[0]?.state === "listening" && states;
    });
    assert.equal(state?.state, "attached");
    assert.match(
      await server.request("port-8080", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      /local answer/,
    );
    await server.request("port-8080", "GET /stop HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    const { code, err } = await running;
    assert.equal(code, 7, err);
    assert.match(err, /left out: PASSWORD: Secret cart you may not read it/);
    assert.match(err, /Port port-8080: no process listens on/);
    assert.ok(await isGone("pr-cart"));
    assert.deepEqual(await readStates(machine().stateFolder), []);
    assert.ok(server.reports.includes("port-8080 listening"));
  });

  it("connect attaches, reconnects as the same tunnel, and leaves at the first interrupt", async () => {
    const stopping = new AbortController();
    const running = run("local connect --sandbox pr --service cart --name jane", { signal: stopping.signal });
    await publish("jane");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.state === "attached");
    const before = server.attached.length;

    server.dropAll();
    await shop.until(async () => server.attached.length > before);
    assert.notEqual(server.attached.at(-1)?.resume, "");
    stopping.abort();

    const { code, out, err } = await running;
    assert.equal(code, 0, err);
    assert.match(out, /Routing key key-of-pr\ncart port 8080 \(http\) -> 127\.0\.0\.1:8080\n/);
    assert.match(err, /Connection lost \(.*\); reconnecting/);
    await shop.until(async () => server.ends.includes("ClientLeft"));
    assert.ok(await isGone("jane"));
  });

  it("connect adds the key of a second machine to an existing LocalWorkload, and keeps the object", async () => {
    const ports = [{ name: "http", containerPort: 8080 }];
    await shop.admin.create(
      LocalWorkload,
      LocalWorkload.make({
        metadata: { name: "shared", namespace: "shop" },
        spec: { sandboxRef: { name: "pr" }, service: { name: "cart", ports } },
      }),
    );
    const stopping = new AbortController();
    const running = run("local connect --sandbox pr --service cart --name shared", {
      signal: stopping.signal,
      machine: machine("second"),
    });
    await publish("shared");
    await shop.until(async () => (await readStates(machine("second").stateFolder))[0]?.state === "attached");
    stopping.abort();
    await running;

    const kept = await shop.admin.get(LocalWorkload, { namespace: "shop", name: "shared" });
    assert.equal(kept?.spec.connection.publicKeys.length, 1);
    assert.equal(kept?.metadata.deletionTimestamp, undefined);
  });

  it("connect exits with 3 if the server denies the machine, and with 0 if the LocalWorkload is deleted", async () => {
    server.verdict = "Denied";
    const denied = run("local connect --sandbox pr --service cart --name denied");
    await publish("denied");
    const { code, err } = await denied;
    server.verdict = undefined;
    assert.equal(code, 3, err);
    assert.match(err, /refused this machine: Denied/);

    const deleted = run("local connect --sandbox pr --service cart --name deleted");
    await publish("deleted");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.state === "attached");
    server.closeAll("Deleted");
    const end = await deleted;
    assert.equal(end.code, 0, end.err);
    assert.match(end.err, /The LocalWorkload was deleted/);
  });

  it("status lists tunnels, proxy uses one, and disconnect stops it", async () => {
    const running = run("local connect --sandbox pr --service cart --name other");
    await publish("other");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.state === "attached");

    const status = await runLine("local status", { machine: machine() });
    assert.match(status.out, /^NAME +NAMESPACE +SANDBOX +SERVICE +STATE .*\nother +shop +pr +cart +attached /);
    assert.match((await runLine("local status --details", { machine: machine() })).out, /Routing key: +key-of-pr/);

    const stopping = new AbortController();
    const map = `http://orders.shop.svc:80@127.0.0.1:${server.mapPort}`;
    let isListening = false;
    const proxying = run(["local", "proxy", "--sandbox", "pr", "--map", map], {
      signal: stopping.signal,
      onPrint: () => (isListening = true),
    });
    await shop.until(async () => isListening);
    assert.match(await server.get(server.mapPort), /cluster answer/);
    assert.match(server.outbound.at(-1)?.head ?? "", /x-routing-key: key-of-pr/);
    stopping.abort();
    assert.equal((await proxying).code, 0);

    const disconnected = await run("local disconnect other");
    assert.equal(disconnected.out, "localworkload/other disconnected", disconnected.err);
    assert.equal((await running).code, 0);
    assert.ok(await isGone("other"));
    assert.match((await runLine("local status", { machine: machine() })).err, /No tunnels on this machine/);
  });

  const invalid: readonly (readonly [line: string, code: number, says: RegExp])[] = [
    ["local connect", 2, /--sandbox NAME is required/],
    ["local connect --sandbox pr", 2, /--service NAME is required/],
    ["local connect --sandbox pr --service cart --port x", 2, /--port is "x"/],
    ["local connect --sandbox pr --service cart --socks 0.0.0.0:1", 2, /must be a loopback address/],
    ["local connect --sandbox pr --service cart --wait soon", 2, /--wait is "soon"/],
    ["local connect --sandbox nothing --service cart", 5, /does not exist\. Add --create/],
    ["local connect --sandbox pr --service nothing", 5, /Service shop\/nothing does not exist/],
    ["local run --sandbox pr --service cart", 2, /requires -- COMMAND/],
    ["local proxy --sandbox pr", 2, /requires --map/],
    ["local proxy --sandbox pr --map http://a.b.svc:1@127.0.0.1:1", 5, /No tunnel of this machine runs/],
    ["local disconnect", 2, /requires NAME or --all/],
    ["local disconnect nothing", 5, /has no tunnel nothing/],
  ];
  for (const [line, code, says] of invalid) {
    it(`exits with ${code} for "${line}"`, async () => {
      const finished = await run(line);
      assert.equal(finished.code, code, finished.err);
      assert.match(finished.err, says);
    });
  }
});
