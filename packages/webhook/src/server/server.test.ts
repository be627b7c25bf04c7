import assert from "node:assert/strict";
import { Agent, request } from "node:https";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { ArgumentError, type KubeObject, nextTurn, type ResourceType, systemClock } from "@homeostat/core";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { validatingWebhook } from "../admission/define-admission.ts";
import type { WebhookObserver } from "./observer.ts";
import { WebhookServer, type WebhookServerOptions } from "./server.ts";

const Thing: ResourceType = {
  group: "x.example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Cluster",
};
const day = 24 * 3600_000;
const validity = { validFrom: new Date(Date.now() - day), validUntil: new Date(Date.now() + day) };

function makeCertificate(commonName: string): { ca: string; pair: KeyPair } {
  const authority = makeAuthority({ subject: { commonName: `${commonName}-ca` }, ...validity });
  return { ca: authority.cert, pair: issue(authority, { subject: { commonName }, hosts: ["127.0.0.1"], ...validity }) };
}

const first = makeCertificate("first");

function review(name: string): string {
  const object: KubeObject = { apiVersion: "x.example.com/v1", kind: "Thing", metadata: { name } };
  const reviewed = { uid: name, operation: "CREATE", object };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: reviewed });
}

/** Names of the objects that {@link gate} has received. */
const received: string[] = [];

const gate = validatingWebhook({
  for: Thing,
  async *validate(object, _old, { signal }) {
    received.push(object.metadata.name ?? "");
    if (object.metadata.name === "slow") await systemClock.sleep(300);
    if (object.metadata.name === "hangs") await new Promise((resolve) => signal.addEventListener("abort", resolve));
    if (object.metadata.name === "throws") throw new Error("secret");
    if (object.metadata.name === "bad") yield { message: "is bad" };
  },
});

/** Waits until the webhook validates an object with this name, and forgets that it did. */
async function untilReceived(name: string): Promise<void> {
  while (!received.includes(name)) await systemClock.sleep(1);
  received.length = 0;
}

interface Call {
  readonly port: number;
  readonly ca?: string;
  readonly agent?: Agent;
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
}

function call({
  port,
  ca = first.ca,
  agent,
  path = gate.path,
  method = "POST",
  type = "application/json",
  body,
}: Call) {
  return new Promise<{ status: number; text: string; connection: string | undefined }>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, ca, path, method, headers: { "content-type": type } };
    const sending = request({ ...options, agent: agent ?? new Agent() }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, connection: response.headers.connection }),
      );
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

async function serve(options: WebhookServerOptions, run: (port: number, server: WebhookServer) => Promise<void>) {
  const server = new WebhookServer({ webhooks: [gate], ...options });
  const { port } = await server.listen({ certificate: first.pair, port: 0, host: "127.0.0.1" });
  try {
    await run(port, server);
  } finally {
    await server.stop({ graceMs: 1_000 });
  }
}

describe("WebhookServer", () => {
  it("responds to reviews, and to everything else with a Status", async () => {
    await serve({ admissionBytesMax: 1000 }, async (port) => {
      const allowed = await call({ port, body: review("good") });
      const denied = await call({ port, body: review("bad"), path: `${gate.path}?timeout=10s` });

      assert.match(allowed.text, /"uid":"good","allowed":true/);
      assert.match(denied.text, /"uid":"bad","allowed":false/);
      assert.equal((await call({ port, path: "/other", body: review("a") })).status, 404);
      assert.equal((await call({ port, method: "GET" })).status, 405);
      assert.equal((await call({ port, type: "text/plain", body: review("a") })).status, 415);
      assert.equal((await call({ port, body: "x" })).status, 400);
      assert.equal((await call({ port, body: `"${"x".repeat(2000)}"` })).status, 413);
      assert.equal((await call({ port, body: review("good") })).status, 200);
    });
  });

  it("names a port that is in use, and can listen on another one afterwards", async () => {
    await serve({}, async (port) => {
      const other = new WebhookServer({ webhooks: [gate] });

      await assert.rejects(other.listen({ certificate: first.pair, port, host: "127.0.0.1" }), {
        code: "LISTEN",
        message: new RegExp(`^Cannot listen on port ${port} of 127\\.0\\.0\\.1 for webhooks: .*EADDRINUSE`),
      });

      assert.equal(other.isListening, false);
      const free = await other.listen({ certificate: first.pair, port: 0, host: "127.0.0.1" });
      assert.equal((await call({ port: free.port, body: review("good") })).status, 200);
      await other.stop();
    });
  });

  it("serves health checks", async () => {
    let isHealthy = true;
    await serve({ health: () => isHealthy }, async (port) => {
      const before = await call({ port, method: "GET", path: "/healthz" });
      isHealthy = false;
      const after = await call({ port, method: "GET", path: "/readyz" });

      assert.equal(before.status, 200);
      assert.equal(after.status, 503);
    });
  });

  it("aborts a slow webhook when the API server gives up", async () => {
    await serve({ timeoutMs: 5_000 }, async (port) => {
      const { status, text } = await call({ port, body: review("hangs"), path: `${gate.path}?timeout=50ms` });

      assert.equal(status, 504);
      assert.match(text, /within 50 ms/);
    });
  });

  it("reports every request and every failure to its observer", async () => {
    const seen: string[] = [];
    const observer: WebhookObserver = {
      started: (path) => seen.push(`started ${path}`),
      finished: (path, { status, seconds }) => seen.push(`finished ${path} ${status} ${seconds >= 0}`),
      panicked: (path, error, count) => seen.push(`panicked ${path} ${String(error)} ${count}`),
    };
    await serve({ observer }, async (port) => {
      const { text } = await call({ port, body: review("throws") });

      assert.doesNotMatch(text, /secret/);
    });

    assert.deepEqual(seen, [
      `started ${gate.path}`,
      `panicked ${gate.path} Error: secret 1`,
      `finished ${gate.path} 200 true`,
    ]);
  });

  it("refuses outdated TLS versions", async () => {
    await serve({}, async (port) => {
      const error = await new Promise<Error | undefined>((resolve) => {
        const options = { port, host: "127.0.0.1", ca: first.ca, ciphers: "DEFAULT@SECLEVEL=0" };
        const socket = connect({ ...options, minVersion: "TLSv1", maxVersion: "TLSv1.1" }, () => resolve(undefined));
        socket.on("error", resolve);
      });

      assert.ok(error !== undefined);
    });
  });

  it("finishes running requests when it stops, and keeps no connection", async () => {
    const server = new WebhookServer({ webhooks: [gate] });
    const { port } = await server.listen({ certificate: first.pair, port: 0, host: "127.0.0.1" });
    const agent = new Agent({ keepAlive: true });
    await call({ port, agent, body: review("good") });
    const slow = call({ port, agent, body: review("slow") });
    await untilReceived("slow");

    await server.stop();

    assert.match((await slow).text, /"allowed":true/);
    assert.equal((await slow).connection, "close");
    assert.equal(server.isListening, false);
    await assert.rejects(call({ port, body: review("good") }), /ECONNREFUSED/);
    agent.destroy();
  });

  it("aborts requests that take longer than the grace period", async () => {
    received.length = 0;
    const server = new WebhookServer({ webhooks: [gate] });
    const { port } = await server.listen({ certificate: first.pair, port: 0, host: "127.0.0.1" });
    const hanging = call({ port, body: review("hangs") }).then(
      () => "responded",
      () => "cut off",
    );
    await untilReceived("hangs");

    await server.stop({ graceMs: 50 });

    assert.equal(await hanging, "cut off");
  });

  it("refuses two webhooks with the same path", () => {
    assert.throws(() => new WebhookServer({ webhooks: [gate, gate] }), ArgumentError);
  });
});

describe("a reloaded certificate", () => {
  it("is used by new connections while old ones continue, without a failed call under load", async () => {
    const others = Array.from({ length: 10 }, (_, index) => makeCertificate(`renewed-${index}`));
    const ca = [first, ...others].map((it) => it.ca).join("");
    await serve({}, async (port, server) => {
      const kept = new Agent({ keepAlive: true, maxSockets: 2, ca });
      const progress = { calls: 0 };
      const done = new AbortController();
      const load = Array.from({ length: 4 }, async (_, worker) => {
        while (!done.signal.aborted) {
          const agent = worker < 2 ? kept : new Agent({ ca });
          const { text } = await call({ port, ca, agent, body: review("good") });
          assert.match(text, /"allowed":true/);
          progress.calls += 1;
        }
      });
      const moreCalls = async (): Promise<void> => {
        progress.calls = 0;
        while (progress.calls < 8) await nextTurn();
      };
      for (const { pair } of others) {
        await moreCalls();
        server.reload(pair);
      }
      await moreCalls();
      done.abort();
      await Promise.all(load);
      kept.destroy();

      assert.equal((await call({ port, ca: others.at(-1)?.ca ?? "", body: review("good") })).status, 200);
      await assert.rejects(call({ port, ca: first.ca, body: review("good") }));
    });
  });

  it("is refused if the key does not match, and the old one remains in use", async () => {
    const other = makeCertificate("other");
    await serve({}, async (port, server) => {
      assert.throws(() => server.reload({ cert: other.pair.cert, key: first.pair.key }), /belongs to another/);

      assert.equal((await call({ port, body: review("good") })).status, 200);
    });
  });
});
