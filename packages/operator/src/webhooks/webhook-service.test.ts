import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Client, type Request, type Response, type Transport, withFence } from "@homeostat/client";
import {
  FakeClock,
  isRecord,
  type JsonRecord,
  nextTurn,
  OffsetClock,
  SeededRandom,
  systemClock,
} from "@homeostat/core";
import { classifyApiFailure, Registry, type Service, type ServiceTools, silentLogger } from "@homeostat/runtime";
import { readCaBundle } from "@homeostat/webhook/internal";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { operatorManifests } from "../manifests/operator-manifests.ts";
import { installationOf } from "../definition/installation.ts";
import { sample } from "../testing/sample-operator.ts";
import { operatorWebhooks } from "./operator-webhooks.ts";

/** An API server that stores objects by path, with resource versions. */
class FakeServer implements Transport {
  readonly objects = new Map<string, JsonRecord>();
  readonly calls: string[] = [];
  #version = 0;
  isDown = false;
  isNamespaceMissing = false;

  /** The number of requests without a response. */
  pending = 0;

  async send(request: Request): Promise<Response> {
    this.pending += 1;
    await nextTurn();
    this.pending -= 1;
    return this.#respond(request);
  }

  #respond({ method, path, body }: Request): Response {
    const pathname = path.split("?")[0] ?? "";
    this.calls.push(`${method} ${pathname}`);
    if (this.isDown) return respond(503, { kind: "Status", message: "down" });
    const found = this.objects.get(pathname);
    if (method === "POST" && this.isNamespaceMissing) return respond(404, namespaceNotFound);
    if (method === "GET") return found === undefined ? respond(404, notFound) : respond(200, found);
    const sent: unknown = JSON.parse(String(body));
    assert.ok(isRecord(sent) && isRecord(sent["metadata"]));
    const { stringData, ...object } = sent;
    const data = isRecord(stringData)
      ? Object.fromEntries(
          Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")]),
        )
      : undefined;
    const key = method === "POST" ? `${pathname}/${String(sent["metadata"]["name"])}` : pathname;
    const stored = this.put(key, { ...object, ...(data && { data }) });
    return respond(method === "POST" ? 201 : 200, stored);
  }

  put(path: string, object: JsonRecord): JsonRecord {
    this.#version += 1;
    const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
    const stored = { ...object, metadata: { ...metadata, resourceVersion: String(this.#version) } };
    this.objects.set(path, stored);
    return stored;
  }
}

const notFound = {
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  reason: "NotFound",
  details: { name: "x", kind: "x" },
  code: 404,
};

const namespaceNotFound = { ...notFound, details: { name: "shop", kind: "namespaces" } };

function respond(status: number, body: JsonRecord): Response {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: {
      cancel() {},
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(JSON.stringify(body));
      },
    },
  };
}

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/orders.shop.example.com";
const configurationPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/shop-operator";
const secretPath = "/api/v1/namespaces/shop/secrets/shop-operator-webhook-certificates";

/** Starts the service with the sample's webhooks. */
async function start(server: FakeServer, folder?: string, some: Partial<ServiceTools> = {}, clientCa?: string) {
  const stop = new AbortController();
  let port = 0;
  const registry = new Registry();
  const make = operatorWebhooks(installationOf(sample, { namespace: "shop" }), {
    port: 0,
    host: "127.0.0.1",
    pollMs: 20,
    certificate: folder === undefined ? undefined : { folder },
    clientAuthorities: clientCa === undefined ? undefined : { file: clientCa, names: ["kube-apiserver"] },
    onListening: (chosen) => (port = chosen),
  });
  assert.ok(make);
  const service: Service = make(toolsOf(server, { registry, ...some }));
  const running = service.run(stop.signal);
  return {
    service,
    registry,
    port: () => port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

function toolsOf(server: FakeServer, some: Partial<ServiceTools>): ServiceTools {
  const tools = {
    // The client of a replica that is not the leader refuses writes. Webhooks must work there too.
    client: new Client(withFence(refuseWrites)(server)),
    unfencedClient: new Client(server),
    registry: new Registry(),
    log: silentLogger,
    clock: systemClock,
    serverClock: systemClock,
    random: new SeededRandom("webhooks"),
    namespace: "shop",
    reportMissingNamespace: () => false,
    ...some,
  };
  return tools as unknown as ServiceTools;
}

function refuseWrites(): never {
  throw new Error("not the leader");
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 6_000 && !holds(); i += 1) await systemClock.sleep(10);
  assert.ok(holds(), String(holds));
  await nextTurn();
}

/** Sends a review as an API server does, trusting the CA bundle `ca`. */
function review(
  port: number,
  ca: string,
  path: string,
  body: object,
  client: Partial<KeyPair> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        ...client,
        port,
        path,
        method: "POST",
        ca,
        servername: "shop-operator-webhook.shop.svc",
        host: "127.0.0.1",
        agent: false,
        headers: { "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    sending.on("error", reject);
    sending.end(JSON.stringify(body));
  });
}

const admission = (count: number): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "1",
    kind: { group: "shop.example.com", version: "v2", kind: "Order" },
    resource: { group: "shop.example.com", version: "v2", resource: "orders" },
    operation: "CREATE",
    namespace: "default",
    name: "a",
    userInfo: {},
    object: {
      apiVersion: "shop.example.com/v2",
      kind: "Order",
      metadata: { name: "a", namespace: "default" },
      spec: { amount: { count, unit: "piece" } },
    },
  },
});

function installed(): FakeServer {
  const server = new FakeServer();
  for (const object of operatorManifests(sample, { namespace: "shop" })) {
    if (object.metadata.name === "orders.shop.example.com") server.put(crdPath, object);
    if (object.kind === "ValidatingWebhookConfiguration") server.put(configurationPath, object);
  }
  return server;
}

describe("webhookService", () => {
  it("serves with a certificate whose CA is written to CRDs and webhook configurations", async () => {
    const server = installed();
    await using webhooks = await start(server);
    assert.equal(webhooks.service.isReady?.(), false);
    assert.match(webhooks.registry.expose(), /webhook_requests_total\{code="500",webhook="\/convert"\} 0/);

    await until(() => webhooks.service.isReady?.() === true);
    await until(() => readCaBundle(server.objects.get(crdPath)) !== "");
    const ca = readCaBundle(server.objects.get(configurationPath));
    const bad = await review(webhooks.port(), ca, "/validate-shop-example-com-v2-order", admission(-1));
    const good = await review(webhooks.port(), ca, "/validate-shop-example-com-v2-order", admission(1));

    assert.equal(ca, readCaBundle(server.objects.get(crdPath)));
    assert.match(bad.body, /is negative/);
    assert.match(good.body, /"allowed":true/);
    const page = webhooks.registry.expose();
    assert.match(
      page,
      /controller_runtime_webhook_requests_total\{code="200",webhook="\/validate-shop-example-com-v2-order"\} 2/,
    );
    assert.match(page, /homeostat_webhook_certificate_expiry_seconds [1-9]/);
  });

  it("writes the CA to a configuration that is installed later, and keeps labels of the Secret", async () => {
    const server = installed();
    const configuration = server.objects.get(configurationPath);
    server.objects.delete(configurationPath);
    await using webhooks = await start(server);
    await until(() => webhooks.service.isReady?.() === true);

    server.put(configurationPath, configuration ?? {});
    await until(() => readCaBundle(server.objects.get(configurationPath)) !== "");
    const secret = server.objects.get(secretPath) ?? {};
    server.put(secretPath, { ...secret, data: {}, metadata: { name: "x", labels: { team: "a" } } });
    await until(() => Object.keys((server.objects.get(secretPath)?.["data"] as object | undefined) ?? {}).length > 0);

    const metadata = server.objects.get(secretPath)?.["metadata"];
    assert.deepEqual(isRecord(metadata) && metadata["labels"], { team: "a" });
  });

  it("waits for the client CAs, and accepts admission requests only with a client certificate of theirs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "client-ca-"));
    const life = {
      validFrom: new Date(systemClock.now() - 60_000),
      validUntil: new Date(systemClock.now() + 3_600_000),
    };
    const authority = makeAuthority({ subject: { commonName: "clients" }, ...life });
    const client = issue(authority, { subject: { commonName: "kube-apiserver" }, usages: ["client"], ...life });
    const server = installed();
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    await using webhooks = await start(server, undefined, { log }, join(folder, "ca.crt"));
    await until(() => warnings.length > 0);
    assert.equal(webhooks.service.isReady?.(), false);

    await writeFile(join(folder, "ca.crt"), authority.cert);
    await until(
      () => webhooks.service.isReady?.() === true && readCaBundle(server.objects.get(configurationPath)) !== "",
    );
    const ca = readCaBundle(server.objects.get(configurationPath));
    const path = "/validate-shop-example-com-v2-order";
    const known = await review(webhooks.port(), ca, path, admission(1), client);
    const unknown = await review(webhooks.port(), ca, path, admission(1));

    assert.deepEqual([known.status, unknown.status], [200, 403]);
    await rm(folder, { recursive: true, force: true });
  });

  it("retries while the API server cannot be reached, and can be stopped meanwhile", async () => {
    const server = installed();
    server.isDown = true;
    const webhooks = await start(server);
    await until(() => server.calls.length > 0);

    assert.equal(webhooks.service.isReady?.(), false);
    await webhooks[Symbol.asyncDispose]();
  });

  it("serves a certificate that is valid by the API server's clock when the local clock is an hour ahead", async () => {
    const server = installed();
    await using webhooks = await start(server, undefined, { clock: new OffsetClock(systemClock, 3_600_000) });
    await until(() => webhooks.service.isReady?.() === true);

    const { data } = server.objects.get(secretPath) ?? {};
    const pem = isRecord(data) ? Buffer.from(String(data["tls.crt"]), "base64") : "";
    const validFrom = Date.parse(new X509Certificate(pem).validFrom);

    assert.ok(validFrom < systemClock.now(), `valid from ${new Date(validFrom).toISOString()}`);
  });

  it("reports a missing namespace of its Secret, and becomes ready when it exists", async () => {
    const server = installed();
    server.isNamespaceMissing = true;
    const warnings: string[] = [];
    const reports: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const reportMissingNamespace = (error: unknown, neededFor: string): boolean => {
      const { reason } = classifyApiFailure(error);
      reports.push(`${reason} ${neededFor}`);
      return true;
    };
    await using webhooks = await start(server, undefined, { log, reportMissingNamespace });
    await until(() => reports.length > 0);
    server.isNamespaceMissing = false;
    await until(() => webhooks.service.isReady?.() === true);

    assert.equal(reports[0], "NamespaceMissing Secret shop-operator-webhook-certificates");
    assert.deepEqual(warnings, []);
  });

  it("fails when its port is in use, and stops maintaining the certificate", async () => {
    const server = installed();
    await using holder = await start(server);
    await until(() => holder.port() > 0);
    const clock = new FakeClock({ now: systemClock.now() });
    const make = operatorWebhooks(installationOf(sample, { namespace: "shop" }), {
      port: holder.port(),
      host: "127.0.0.1",
    });
    const service = make?.(toolsOf(server, { clock, serverClock: clock }));

    await assert.rejects(service?.run(new AbortController().signal) ?? Promise.resolve(), {
      code: "LISTEN",
      message: /for webhooks: .*EADDRINUSE/,
    });

    assert.equal(clock.pending, 0, "no timer keeps the process alive");
    assert.equal(service?.isReady?.(), false);
  });

  it("logs no failure of the certificate sync after it was stopped", async () => {
    const server = installed();
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const make = operatorWebhooks(installationOf(sample, { namespace: "shop" }), { port: 0, host: "127.0.0.1" });
    const stop = new AbortController();
    const running = make?.(toolsOf(server, { log })).run(stop.signal);

    stop.abort();
    server.isDown = true;
    await running;
    await until(() => server.pending === 0);

    assert.deepEqual(warnings, []);
  });

  it("serves certificates from files without requests to the API server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "certificates-"));
    const now = systemClock.now();
    const life = { validFrom: new Date(now - 60_000), validUntil: new Date(now + 3_600_000) };
    const authority = makeAuthority({ subject: { commonName: "test" }, ...life });
    const hosts = ["shop-operator-webhook.shop.svc"];
    const pair = issue(authority, { subject: { commonName: "x" }, hosts, ...life });
    await writeFile(join(folder, "tls.crt"), pair.cert);
    await writeFile(join(folder, "tls.key"), pair.key);
    const server = installed();
    await using webhooks = await start(server, folder);

    await until(() => webhooks.service.isReady?.() === true);
    const { body } = await review(webhooks.port(), authority.cert, "/validate-shop-example-com-v2-order", admission(1));

    assert.match(body, /"allowed":true/);
    assert.deepEqual(server.calls, []);
    await rm(folder, { recursive: true, force: true });
  });
});
