import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { type KubeObject, nextTurn, type ResourceType } from "@homeostat/core";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { issue, makeAuthority } from "@homeostat/x509";
import { validatingWebhook } from "../admission/define-admission.ts";
import type { Finding } from "../admission/findings.ts";
import type { WebhookObserver } from "./observer.ts";
import { WebhookServer, type WebhookServerOptions } from "./server.ts";

const day = 24 * 3600_000;
const validity = { validFrom: new Date(Date.now() - day), validUntil: new Date(Date.now() + day) };
const authority = makeAuthority({ subject: { commonName: "ca" }, ...validity });
const certificate = issue(authority, { subject: { commonName: "server" }, hosts: ["127.0.0.1"], ...validity });
const ca = authority.cert;

const Thing: ResourceType = {
  group: "x.example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Cluster",
};
const Order = defineResource({
  group: "shop.example.com",
  kind: "Order",
  versions: {
    v1: { spec: { count: s.int() } },
    v2: { storage: true, spec: { amount: s.object({ count: s.int() }) } },
  },
});
const conversion = defineConversion(Order, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => ({ spec: { amount: { count: spec.count } } }),
      fromHub: ({ spec }) => ({ spec: { count: spec.amount.count } }),
    },
  },
});

/** A webhook that waits until the test releases it. */
class Gate {
  readonly webhook = validatingWebhook({ for: Thing, validate: () => this.#validate() });
  waiting = 0;
  readonly #free = new AbortController();

  async *#validate(): AsyncGenerator<Finding> {
    this.waiting += 1;
    if (!this.#free.signal.aborted) await once(this.#free.signal, "abort");
    yield { message: "waited", warn: true };
  }

  open(): void {
    this.#free.abort();
  }
}

interface Response {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

interface Call {
  readonly port: number;
  readonly path: string;
  readonly body: string | Buffer;
  readonly from?: string;
}

function call({ port, path, body, from = "127.0.0.1" }: Call): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const where = { host: "127.0.0.1", localAddress: from, port, ca, path, method: "POST", headers };
    const sending = request({ ...where, agent: new Agent() }, (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers["retry-after"] }),
      );
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

async function listen(options: WebhookServerOptions): Promise<AsyncDisposable & { readonly port: number }> {
  const server = new WebhookServer({ conversions: [conversion], ...options });
  const { port } = await server.listen({ certificate, port: 0, host: "0.0.0.0" });
  return { port, [Symbol.asyncDispose]: () => server.stop({ graceMs: 100 }) };
}

function admissionReview(name: string): string {
  const object: KubeObject = { apiVersion: "x.example.com/v1", kind: "Thing", metadata: { name } };
  const reviewed = { uid: name, operation: "CREATE", object };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: reviewed });
}

function conversionReview(objects: string): string {
  const rest = '"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"';
  return `{${rest},"request":{"uid":"1","desiredAPIVersion":"shop.example.com/v2","objects":${objects}}}`;
}

const order = '{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"o"},"spec":{"count":1}}';
const broken = '{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"o"},"spec":null}';
const repeated = (element: string, count: number): string => `[${`${element},`.repeat(count - 1)}${element}]`;
const mebibyte = 1024 * 1024;

describe("hostile requests to a webhook", () => {
  const attacks: {
    readonly name: string;
    readonly body: () => string;
    readonly status: number;
    readonly text: RegExp;
  }[] = [
    {
      name: "1,000,000 small objects",
      body: () => conversionReview(repeated('{"a":1}', 1_000_000)),
      status: 413,
      text: /request\.objects exceeds 100000 objects/,
    },
    {
      name: "90,000 objects without a kind",
      body: () => conversionReview(repeated('{"a":1}', 90_000)),
      status: 200,
      text: /conversion of 90000 objects stopped after 10 failures/,
    },
    {
      name: "50,000 objects that fail to convert",
      body: () => conversionReview(repeated(broken, 50_000)),
      status: 200,
      text: /conversion of 50000 objects stopped after 10 failures/,
    },
    {
      name: "4 MiB of nested lists",
      body: () => conversionReview("[".repeat(4 * mebibyte)),
      status: 400,
      text: /not JSON/,
    },
    {
      name: "an object nested 100,000 levels deep",
      body: () => conversionReview(`[${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}]`),
      status: 200,
      text: /1 of 1 objects failed: .*500 levels of nesting/,
    },
    {
      name: "one string of 8 MiB",
      body: () => conversionReview(`["${"x".repeat(8 * mebibyte)}"]`),
      status: 413,
      text: /request\.objects\[0\] exceeds 3145728 bytes/,
    },
    {
      name: "8 MiB around the list",
      body: () => conversionReview("[]").replace("{", `{"x":"${"y".repeat(8 * mebibyte)}",`),
      status: 413,
      text: /without its objects exceeds 65536 bytes/,
    },
    {
      name: "an object of 1,000,000 values",
      body: () => conversionReview(`[{"a":${repeated("0", 1_000_000)}}]`),
      status: 200,
      text: /1 of 1 objects failed: .*limit of 50000 values/,
    },
  ];

  for (const { name, body, status, text } of attacks) {
    it(`get ${status} for ${name} and report at most one failure`, async () => {
      const reports: number[] = [];
      const observer: WebhookObserver = { panicked: (_path, _error, count) => reports.push(count) };
      await using server = await listen({ observer });

      const response = await call({ port: server.port, path: "/convert", body: body() });

      assert.equal(response.status, status, response.text.slice(0, 500));
      assert.match(response.text, text);
      assert.ok(response.text.length < 20_000);
      assert.ok(reports.length <= 1 && (reports[0] ?? 0) <= 10);
    });
  }

  it("do not delay other requests while a long list is converted", async () => {
    const gate = new Gate();
    gate.open();
    await using server = await listen({ webhooks: [gate.webhook] });
    const progress = { isConverted: false };
    const converted = call({
      port: server.port,
      path: "/convert",
      body: conversionReview(repeated(order, 50_000)),
    }).finally(() => (progress.isConverted = true));

    let responses = 0;
    while (!progress.isConverted) {
      const { status } = await call({ port: server.port, path: gate.webhook.path, body: admissionReview("a") });
      assert.equal(status, 200);
      responses += 1;
    }
    const { status, text } = await converted;

    assert.equal(status, 200);
    const { response } = JSON.parse(text) as { response: { convertedObjects: unknown[]; result: { status: string } } };
    assert.equal(response.result.status, "Success");
    assert.equal(response.convertedObjects.length, 50_000);
    assert.ok(responses > 5, `${responses} responses in between`);
  });
});

describe("requests in flight", () => {
  it("are limited in number, with Retry-After, and one address cannot use the whole limit", async () => {
    const gate = new Gate();
    await using server = await listen({ webhooks: [gate.webhook], requestsInFlightMax: 4 });
    const send = (from: string): Promise<Response> =>
      call({ port: server.port, path: gate.webhook.path, body: admissionReview("a"), from });
    const held = [send("127.0.0.1"), send("127.0.0.1"), send("127.0.0.1")];
    while (gate.waiting < 3) await nextTurn();

    const refused = await send("127.0.0.1");
    const other = send("127.0.0.2");
    while (gate.waiting < 4) await nextTurn();
    const full = await send("127.0.0.3");
    gate.open();

    assert.deepEqual([refused.status, refused.retryAfter, full.status], [429, "1", 429]);
    assert.equal((JSON.parse(refused.text) as { reason: string }).reason, "TooManyRequests");
    for (const response of await Promise.all([...held, other])) assert.equal(response.status, 200);
    assert.equal((await send("127.0.0.1")).status, 200);
  });

  it("are limited in size", async () => {
    const gate = new Gate();
    gate.open();
    await using server = await listen({ webhooks: [gate.webhook], bytesInFlightMax: 64 * 1024 });
    const send = (body: string): Promise<Response> => call({ port: server.port, path: "/convert", body });

    const large = await send(conversionReview(repeated(order, 2_000)));
    const small = await send(conversionReview(repeated(order, 10)));
    const grown = await send(conversionReview(repeated(order, 350)));

    assert.deepEqual([large.status, large.retryAfter], [429, "1"]);
    assert.equal(small.status, 200);
    assert.equal(grown.status, 429, "the response counts too");
  });

  it("accept a body in chunks of one byte", async () => {
    await using server = await listen({});
    const body = conversionReview(repeated(order, 100));
    const socket = connectTls({ port: server.port, host: "127.0.0.1", ca });
    await once(socket, "secureConnect");
    let text = "";
    socket.on("data", (piece) => (text += piece.toString()));

    socket.write("POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n");
    socket.write("Transfer-Encoding: chunked\r\n\r\n");
    socket.write(`${Array.from(body, (character) => `1\r\n${character}\r\n`).join("")}0\r\n\r\n`);
    await once(socket, "close");

    assert.match(text, /^HTTP\/1\.1 200 OK[^]*"status":"Success"/);
  });
});

describe("connections to a webhook server", () => {
  it("are accepted while 1,000 connections of one address send nothing", async () => {
    const gate = new Gate();
    gate.open();
    await using server = await listen({ webhooks: [gate.webhook] });
    const sockets: Socket[] = [];
    for (let count = 0; count < 1_000; count += 1) {
      const socket = connectTcp({ port: server.port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      sockets.push(socket);
      await once(socket, "connect");
    }
    const send = (from: string): Promise<Response> =>
      call({ port: server.port, path: gate.webhook.path, body: admissionReview("a"), from });

    const [other, same] = [await send("127.0.0.2"), await send("127.0.0.1")];
    for (const socket of sockets) socket.destroy();

    assert.deepEqual([other.status, same.status], [200, 200]);
  });

  it("are accepted while slow senders of several addresses exceed the limits", async () => {
    const gate = new Gate();
    gate.open();
    const limits = { connectionsMax: 20, requestsInFlightMax: 4 };
    await using server = await listen({ webhooks: [gate.webhook], ...limits });
    const sockets: Socket[] = [];
    const head = `POST ${gate.webhook.path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    for (let count = 0; count < 60; count += 1) {
      const raw = connectTcp({ port: server.port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (count % 6)}` });
      const socket = connectTls({ socket: raw, host: "127.0.0.1", ca });
      socket.on("error", () => undefined);
      sockets.push(socket);
      await once(socket, "secureConnect");
      socket.write(`${head}{`);
    }

    const response = await call({ port: server.port, path: gate.webhook.path, body: admissionReview("a") });
    for (const socket of sockets) socket.destroy();

    assert.equal(response.status, 200);
  });

  it("are never closed to make room while they have a request in flight", async () => {
    const gate = new Gate();
    await using server = await listen({ webhooks: [gate.webhook], connectionsMax: 20 });
    const held = Array.from({ length: 5 }, () =>
      call({ port: server.port, path: gate.webhook.path, body: admissionReview("a") }),
    );
    while (gate.waiting < 5) await nextTurn();
    const sockets: Socket[] = [];
    for (let count = 0; count < 100; count += 1) {
      const socket = connectTcp({ port: server.port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      sockets.push(socket);
      await once(socket, "connect");
    }
    gate.open();

    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    for (const socket of sockets) socket.destroy();
  });
});
