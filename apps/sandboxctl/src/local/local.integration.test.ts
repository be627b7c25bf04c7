// Local commands with the installed operator and a tunnel server on the loopback interface, which records what it receives.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient, type Layer } from "@homeostat/client";
import { Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { LocalWorkload, Sandbox, systemNamespace } from "@homeostat/sandbox-operator";
import { TestPortForwardServer } from "../testing/port-forward-server.ts";
import { type Finished, runLine, type RunLineOptions } from "../testing/run-line.ts";
import { TestShop } from "../testing/shop.ts";
import { TestTunnelServer } from "../testing/tunnel-server.ts";
import { readStates, type TunnelState } from "../state/state-file.ts";

const bin = fileURLToPath(new URL("../../bin/sandboxctl.js", import.meta.url));

describe("sandboxctl local", () => {
  let shop: TestShop;
  let server: TestTunnelServer;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    shop = await TestShop.open();
    server = await TestTunnelServer.open(shop);
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
  /** Waits until the operator has published where to attach. */
  const isPublished = async (name: string): Promise<LocalWorkload> =>
    shop.until(async () => {
      const workload = await shop.admin.get(LocalWorkload, { namespace: "shop", name });
      return workload?.status.tunnel?.url === server.url ? workload : undefined;
    });
  const createTunnelPod = async (name: string): Promise<void> => {
    // An API server alone creates no default ServiceAccount, which pods need.
    await shop.admin.create(ServiceAccount, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace: systemNamespace },
    });
    await shop.admin.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: systemNamespace, labels: { "app.kubernetes.io/name": "sandbox-tunnel" } },
      spec: {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "tunnel",
            image: "tunnel:1",
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    });
    const conditions = [{ type: "Ready", status: "True" }];
    await shop.admin.patch(
      Pod,
      { namespace: systemNamespace, name },
      { merge: { status: { conditions } } },
      { subresource: "status" },
    );
  };
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
    const { spec } = await isPublished("pr-cart");
    // The Service leads to a port by name, which the operator looks for among the ports of the LocalWorkload.
    assert.equal(spec.service.ports[0]?.name, "http");

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
      await server.request("http", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      /local answer/,
    );
    await server.request("http", "GET /stop HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    const { code, err } = await running;
    assert.equal(code, 7, err);
    assert.match(err, /left out: PASSWORD: Secret cart is not readable with your permissions/);
    assert.match(err, /Port http: no process listens on/);
    assert.ok(await isGone("pr-cart"));
    assert.deepEqual(await readStates(machine().stateFolder), []);
    assert.ok(server.reports.includes("http listening"));
  });

  it("connect attaches, reconnects as the same tunnel, and leaves at the first interrupt", async () => {
    const stopping = new AbortController();
    const running = run("local connect --sandbox pr --service cart --name jane", { signal: stopping.signal });
    await isPublished("jane");
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
    await isPublished("shared");
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
    await isPublished("denied");
    const { code, err } = await denied;
    server.verdict = undefined;
    assert.equal(code, 3, err);
    assert.match(err, /refused this machine: Denied/);

    server.verdict = "Busy";
    const refused = run("local connect --sandbox pr --service cart --name busy");
    await isPublished("busy");
    const busy = await refused;
    server.verdict = undefined;
    assert.equal(busy.code, 3, busy.err);
    assert.match(busy.err, /another one is attached\. Add --takeover to replace it/);

    const deleted = run("local connect --sandbox pr --service cart --name deleted");
    await isPublished("deleted");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.state === "attached");
    server.closeAll("Deleted");
    const end = await deleted;
    assert.equal(end.code, 0, end.err);
    assert.match(end.err, /The LocalWorkload was deleted/);
  });

  it("status lists tunnels, proxy uses one, and disconnect stops it", async () => {
    const running = run("local connect --sandbox pr --service cart --name other");
    await isPublished("other");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.state === "attached");

    const status = await runLine("local status", { machine: machine() });
    assert.match(status.out, /^NAME +NAMESPACE +SANDBOX +SERVICE +STATE .*\nother +shop +pr +cart +attached /);
    assert.match((await runLine("local status --details", { machine: machine() })).out, /Routing key: +key-of-pr/);

    const stopping = new AbortController();
    const map = `http://orders.shop.svc:80@127.0.0.1:${server.mapPort}`;
    const grpcMap = `grpc://pay.shop.svc:50051@127.0.0.1:${server.appPort}`;
    const printed: string[] = [];
    const proxying = run(["local", "proxy", "--sandbox", "pr", "--map", map, "--map", grpcMap], {
      signal: stopping.signal,
      onPrint: (line) => printed.push(line),
    });
    await Promise.race([shop.until(async () => printed.length === 2), proxying.then(({ err }) => assert.fail(err))]);
    assert.equal(await keyOfCall(server, "pay.shop.svc:50051"), "key-of-pr");
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

  it("connect removes the LocalWorkload if it is interrupted while it creates it", async () => {
    const stopping = new AbortController();
    const interrupt: Layer = (next) => ({
      async send({ signal, ...request }) {
        if (request.method !== "POST" || !request.path.includes("/localworkloads"))
          return next.send({ signal, ...request });
        const response = await next.send(request);
        stopping.abort();
        signal?.throwIfAborted();
        return response;
      },
    });
    using client = createClient(shop.installed.connectionOf("jane"), { layers: [interrupt] });
    const { code } = await run("local connect --sandbox pr --service cart --name early", {
      client,
      signal: stopping.signal,
    });

    assert.equal(code, 130);
    assert.ok(await isGone("early"));
    assert.deepEqual(await readStates(machine().stateFolder), []);
  });

  it("refuses a second command for the same LocalWorkload, and disconnect keeps one that another user has created", async () => {
    const ports = [{ name: "http", containerPort: 8080 }];
    await shop.admin.create(
      LocalWorkload,
      LocalWorkload.make({
        metadata: { name: "team", namespace: "shop" },
        spec: { sandboxRef: { name: "pr" }, service: { name: "cart", ports } },
      }),
    );
    const running = run("local connect --sandbox pr --service cart --name team");
    await isPublished("team");
    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.isReady);

    const second = await run("local connect --sandbox pr --service cart --name team");
    assert.equal(second.code, 3);
    assert.match(
      second.err,
      /is connected to this machine by process \d+\. Stop it with sandboxctl local disconnect team/,
    );
    const disconnected = await run("local disconnect");
    assert.match(disconnected.err, /LocalWorkload shop\/team is kept/);
    assert.equal((await running).code, 0);
    assert.ok(!(await isGone("team")));
  });

  it("connect attaches through the port-forward of the API server if the tunnel server has no address outside of the cluster", async () => {
    await server.publish(shop.admin, "");
    await shop.until(async () => {
      const older = await shop.admin.get(LocalWorkload, { namespace: "shop", name: "shared" });
      return older !== undefined && older.status.tunnel?.url === undefined;
    });
    using forward = await TestPortForwardServer.open(Number(server.address.split(":")[1]));
    const dial = async () => ({
      socket: await forward.connect(),
      host: "api.example.com",
      pathPrefix: "/prefix",
      headers: { authorization: "Bearer secret-token", "impersonate-group": ["a", "b"] },
    });
    const stopping = new AbortController();
    const running = run("local connect --sandbox pr --service cart --name kube", { signal: stopping.signal, dial });
    // No pod exists yet: the command says so and repeats the attempt.
    await createTunnelPod("sandbox-tunnel-0");

    await shop.until(async () => (await readStates(machine().stateFolder))[0]?.transport === "kube");
    // The operator publishes a new address to LocalWorkloads that exist.
    await server.publish(shop.admin, server.url);
    await isPublished("kube");
    stopping.abort();
    const { code, err } = await running;

    assert.equal(code, 0, err);
    assert.match(err, /^Attached through the API server$/m);
    const path = "/prefix/api/v1/namespaces/sandbox-system/pods/sandbox-tunnel-0/portforward?ports=7443";
    const [request = ""] = forward.requests;
    assert.ok(request.startsWith(`GET ${path} HTTP/1.1\r\nHost: api.example.com\r\n`), request);
    assert.match(request, /impersonate-group: a\r\nimpersonate-group: b/);
    assert.doesNotMatch(err, /secret-token/);
  });

  describe("as a process", () => {
    const config = (): string => join(folder, "process");
    const start = (words: readonly string[]): ChildProcess => {
      const env = { ...machine().env, KUBECONFIG: join(folder, "kubeconfig"), XDG_CONFIG_HOME: config() };
      return spawn(process.execPath, [bin, ...words], {
        env: { ...env, XDG_STATE_HOME: join(config(), "state") },
        stdio: ["ignore", "pipe", "pipe"],
      });
    };
    const own = () => ({
      ...machine(),
      configFolder: join(config(), "sandboxctl"),
      stateFolder: join(config(), "state", "sandboxctl"),
    });
    /** Starts a command that prints a line when it runs. */
    const startRun = async (name: string, script: string): Promise<{ child: ChildProcess; state: TunnelState }> => {
      await writeFile(join(folder, "kubeconfig"), shop.kubeconfig());
      const line = ["local", "run", "--sandbox", "pr", "--service", "cart", "--name", name, "--"];
      const child = start([...line, process.execPath, "-e", script]);
      await isPublished(name);
      const state = await shop.until(async () =>
        (await readStates(own().stateFolder)).find(({ isReady, pid }) => isReady && pid === child.pid),
      );
      assert.ok(child.stdout !== null);
      await once(child.stdout, "data");
      return { child, state };
    };

    it("run passes SIGTERM on, and exits with the code of the command", async () => {
      const mark = join(folder, "terminated");
      const script = `process.on("SIGTERM", () => { fs.writeFileSync(${JSON.stringify(mark)}, ""); process.exit(9); }); console.log("up"); setInterval(() => {}, 1e6)`;
      const { child, state } = await startRun("term", script);
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");

      assert.equal(code, 9);
      assert.ok((await stat(mark)).isFile());
      await assert.rejects(stat(state.files), { code: "ENOENT" });
      assert.deepEqual(await readStates(own().stateFolder), []);
      assert.ok(await isGone("term"));
    });

    it("disconnect and the next command remove what a killed process has left", async () => {
      const mark = join(folder, "ended");
      const script = `process.on("SIGTERM", () => { fs.writeFileSync(${JSON.stringify(mark)}, ""); process.exit(); }); console.log("up"); setInterval(() => {}, 1e6)`;
      const first = await startRun("killed", script);
      assert.ok((await stat(first.state.files)).isDirectory());
      first.child.kill("SIGKILL");
      await once(first.child, "exit");
      // The command does not go on without its tunnel.
      await shop.until(async () => stat(mark).catch(() => undefined));
      const status = await runLine("local status", { machine: own() });
      assert.match(status.out, /killed .* stopped .*the process was killed; run sandboxctl local disconnect/);

      // The next command for the same service deletes the LocalWorkload of the killed one at its end.
      const second = await startRun("killed", script);
      assert.equal(second.state.uid, first.state.uid);
      await assert.rejects(stat(first.state.files), { code: "ENOENT" });
      second.child.kill("SIGKILL");
      await once(second.child, "exit");

      const disconnected = await run("local disconnect killed", { machine: own() });
      assert.equal(disconnected.out, "localworkload/killed disconnected", disconnected.err);
      await assert.rejects(stat(second.state.files), { code: "ENOENT" });
      assert.deepEqual(await readStates(own().stateFolder), []);
      assert.ok(await isGone("killed"));
    });

    it("connect runs in the background and reports the failure of its process", async () => {
      await writeFile(join(folder, "kubeconfig"), shop.kubeconfig());
      const line = ["local", "connect", "--sandbox", "pr", "--service", "cart", "--background"];
      const started = start([...line, "--name", "back"]);
      await isPublished("back");
      const [code] = await once(started, "exit");
      assert.equal(code, 0);
      assert.equal((await readStates(own().stateFolder))[0]?.isReady, true);
      assert.equal((await run("local disconnect --all", { machine: own() })).code, 0);
      assert.ok(await isGone("back"));

      const failing = start([...line, "--sandbox=nothing"].filter((word) => word !== "--sandbox" && word !== "pr"));
      assert.ok(failing.stderr !== null);
      const errors = failing.stderr.setEncoding("utf8").toArray();
      const [failed] = await once(failing, "exit");
      assert.equal(failed, 5);
      assert.match(
        (await errors).join(""),
        /in the background exited with code 5; the end of [^]*does not exist\. Add --create/,
      );
    });
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
    ["local disconnect a --all", 2, /NAME or --all, not both/],
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

/** Sends an HTTP/2 request to the map on `appPort`. Returns the routing key that the Service behind it receives. */
async function keyOfCall({ servicePorts, appPort }: TestTunnelServer, destination: string): Promise<string> {
  const service = createServer((request, response) => response.end(String(request.headers["x-routing-key"])));
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const address = service.address();
  servicePorts.set(destination, typeof address === "object" && address !== null ? address.port : 0);
  const client = connect(`http://127.0.0.1:${appPort}`);
  const key = await client.request({ ":path": "/" }).setEncoding("utf8").toArray();
  client.close();
  await once(client, "close");
  await new Promise((resolve) => service.close(resolve));
  return key.join("");
}
