import assert from "node:assert/strict";
import { createServer, get as getHttp, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer, get as getHttps } from "node:https";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import type { PreviewHost } from "@homeostat/routing";
import { recordingLogger } from "@homeostat/runtime";
import { issue } from "@homeostat/x509";
import { LevelSetting } from "../admin/level-logger.ts";
import { RoutingProxy } from "../routing-proxy.ts";
import { readArguments } from "../settings/flags.ts";
import { FakeRouteServer } from "../testing/fake-route-server.ts";

const key = "k3v9q2m7x1c4d";
const host = `web--${key}.preview.test`;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Waits for a condition that other processes and sockets bring about. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

describe("a gateway process", () => {
  let server: FakeRouteServer;
  let upstream: Server;
  let folder: string;
  let proxy: RoutingProxy;
  let running: Promise<void>;
  const clock = new FakeClock();
  const stopping = new AbortController();
  const seen: IncomingHttpHeaders[] = [];

  const hostOf = (change: Partial<PreviewHost> = {}): PreviewHost => ({
    host,
    namespace: "shop",
    service: "frontend",
    port: 80,
    protocol: "http1",
    version: "v1",
    routingKey: key,
    path: "/",
    auth: "None",
    addresses: [`127.0.0.1:${(upstream.address() as AddressInfo).port}`],
    ...change,
  });

  before(async () => {
    server = await FakeRouteServer.start();
    upstream = createServer((request, response) => {
      seen.push(request.headers);
      response.end(`upstream ${request.url}`);
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    folder = await mkdtemp(join(tmpdir(), "gateway-"));
    const { cert, key: privateKey } = issue(server.authority, {
      subject: { commonName: "*.preview.test" },
      hosts: ["*.preview.test"],
      usages: ["server"],
      validFrom: new Date("2020-01-01"),
      validUntil: new Date("2090-01-01"),
    });
    await writeFile(join(folder, "tls.crt"), cert);
    await writeFile(join(folder, "tls.key"), privateKey);
    const words = ["--role=gateway", "--host=127.0.0.1", "--admin-port=0", "--http-port=0", "--https-port=0"];
    const read = readArguments([...words, `--cert-dir=${folder}`, "--name=g1"], {}, "g1");
    if (read.run !== "proxy") throw new Error("the arguments ask for help");
    proxy = new RoutingProxy({
      settings: read.settings,
      clock,
      random: new SeededRandom(1),
      log: recordingLogger([]),
      level: new LevelSetting("info"),
      routeServer: async () => ({ url: server.url, ca: server.authority.cert, token: "t" }),
      adminToken: async () => undefined,
    });
    running = proxy.run(stopping.signal);
    await until(() => server.streams.length === 1 && proxy.gatewayPorts.size === 2);
  });

  after(async () => {
    stopping.abort();
    let isEnded = false;
    void running.finally(() => (isEnded = true));
    await until(async () => {
      await clock.advance(1_000);
      return isEnded;
    });
    upstream.closeAllConnections();
    await new Promise<void>((resolve) => upstream.close(() => resolve()));
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  function fetchText(scheme: "http" | "https", path = "/", name = host): Promise<Reply> {
    const port = proxy.gatewayPorts.get(scheme) ?? 0;
    const options = { host: "127.0.0.1", port, path, headers: { host: name }, agent: false } as const;
    return new Promise((resolve, reject) => {
      const receive = (response: IncomingMessage): void => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      };
      const tls = { servername: name, ca: server.authority.cert, ALPNProtocols: ["h2", "http/1.1"] };
      const request = scheme === "http" ? getHttp(options, receive) : getHttps({ ...options, ...tls }, receive);
      request.on("error", reject);
    });
  }

  it("follows hosts in the role gateway, confirms them, and forwards requests with their key", async () => {
    assert.equal(server.streams[0]?.query.get("role"), "gateway");
    assert.equal((await fetchText("http")).status, 404);

    server.send(
      { op: "PREVIEW", preview: { keys: [], isSecure: true } },
      { op: "HOST", host: hostOf() },
      { op: "SYNCED", version: 3, epoch: "one", snapshot: true },
    );
    await until(() => server.acks.some(({ version }) => version === 3));

    const reply = await fetchText("http", "/a?b=1");
    assert.deepEqual([reply.status, reply.body], [200, "upstream /a?b=1"]);
    assert.equal(seen.at(-1)?.["x-routing-key"], key);
    assert.equal(seen.at(-1)?.["baggage"], `routing-key=${key}`);
    assert.equal(seen.at(-1)?.["host"], host);
    assert.equal(reply.headers["x-sandbox-route"], "baseline; reason=no-entry");
  });

  it("serves the same host with TLS, with HTTP/1.1 for a Service that does not speak HTTP/2", async () => {
    const reply = await fetchText("https");

    assert.equal(reply.body, "upstream /");
    assert.equal(seen.at(-1)?.["x-forwarded-proto"], "https");
  });

  it("reports a host that it cannot use, and stops serving it", async () => {
    server.send({ op: "HOST", version: 4, host: { ...hostOf(), auth: "Later" } });
    await until(() => server.acks.some(({ version }) => version === 4));

    assert.deepEqual(
      server.acks.at(-1)?.errors.map(({ service }) => service),
      [`@${host}`],
    );
    assert.equal((await fetchText("http")).status, 404);
  });

  it("verifies a Service with TLS by the authorities and the name of its host", async () => {
    const serverName = "frontend.shop.svc";
    const pair = issue(server.authority, {
      subject: { commonName: serverName },
      hosts: [serverName],
      usages: ["server"],
      validFrom: new Date("2020-01-01"),
      validUntil: new Date("2090-01-01"),
    });
    const secure = createHttpsServer({ cert: pair.cert, key: pair.key }, (_, response) => void response.end("secure"));
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    const addresses = [`127.0.0.1:${(secure.address() as AddressInfo).port}`];
    const send = async (version: number, name: string): Promise<void> => {
      const tls = { caBundle: server.authority.cert, serverName: name };
      server.send({ op: "HOST", version, host: hostOf({ protocol: "https", tls, addresses, version: `v${version}` }) });
      await until(() => server.acks.some((ack) => ack.version === version));
    };

    await send(5, serverName);
    assert.equal((await fetchText("https")).body, "secure");
    await send(6, "other.shop.svc");
    assert.equal((await fetchText("https")).status, 502);

    secure.closeAllConnections();
    await new Promise<void>((resolve) => void secure.close(() => resolve()));
  });

  it("refuses requests without a token, and drops hosts that are removed", async () => {
    server.send({ op: "HOST", version: 7, host: hostOf({ auth: "Token", tokens: [] }) });
    await until(() => server.acks.some(({ version }) => version === 7));
    assert.equal((await fetchText("http")).status, 401);

    server.send({ op: "HOST_REMOVED", version: 8, host: { namespace: "shop", host } });
    await until(() => server.acks.some(({ version }) => version === 8));
    assert.equal((await fetchText("http")).status, 404);
  });
});
