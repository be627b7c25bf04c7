import assert from "node:assert/strict";
import { Agent, request } from "node:https";
import { describe, it } from "node:test";
import { ArgumentError, type ResourceType } from "@homeostat/core";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { validatingWebhook } from "../admission/define-admission.ts";
import { WebhookServer, type WebhookServerOptions } from "./server.ts";

const day = 24 * 3600_000;
const validity = { validFrom: new Date(Date.now() - day), validUntil: new Date(Date.now() + day) };
const serverAuthority = makeAuthority({ subject: { commonName: "server-ca" }, ...validity });
const clientAuthority = makeAuthority({ subject: { commonName: "client-ca" }, ...validity });
const otherAuthority = makeAuthority({ subject: { commonName: "other-ca" }, ...validity });

function clientOf(authority: KeyPair, commonName: string, hosts: string[] = []): KeyPair {
  return issue(authority, { subject: { commonName }, hosts, usages: ["client"], ...validity });
}

const certificate = issue(serverAuthority, { subject: { commonName: "server" }, hosts: ["127.0.0.1"], ...validity });
const apiServer = clientOf(clientAuthority, "kube-apiserver");
const alternative = clientOf(clientAuthority, "x", ["api.example.com"]);
const neighbour = clientOf(clientAuthority, "neighbour");
const forged = clientOf(otherAuthority, "kube-apiserver");

const Thing: ResourceType = {
  group: "x.example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Cluster",
};
const webhook = validatingWebhook({ for: Thing, validate: () => [] });
const Order = defineResource({
  group: "x.example.com",
  kind: "Order",
  versions: { v1: { spec: { a: s.int() } }, v2: { storage: true, spec: { a: s.int() } } },
});
const conversion = defineConversion(Order, {
  hub: "v2",
  spokes: { v1: { toHub: ({ spec }) => ({ spec }), fromHub: ({ spec }) => ({ spec }) } },
});

const admissionReview = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "1",
    operation: "CREATE",
    object: { apiVersion: "x.example.com/v1", kind: "Thing", metadata: { name: "a" } },
  },
});
const conversionReview = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "1", desiredAPIVersion: "x.example.com/v2", objects: [] },
});

interface Call {
  readonly port: number;
  readonly client?: KeyPair;
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
}

/** Returns the status of a call on a connection of its own. */
function call({ port, client, path = webhook.path, method = "POST", body = admissionReview }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const where = { host: "127.0.0.1", port, ca: serverAuthority.cert, path, method, headers, agent: new Agent() };
    const sending = request({ ...where, ...client }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sending.on("error", reject);
    sending.end(method === "GET" ? undefined : body);
  });
}

async function serve(
  options: WebhookServerOptions,
  run: (port: number, server: WebhookServer) => Promise<void>,
): Promise<void> {
  const server = new WebhookServer({ webhooks: [webhook], conversions: [conversion], ...options });
  const { port } = await server.listen({ certificate, port: 0, host: "127.0.0.1" });
  try {
    await run(port, server);
  } finally {
    await server.stop({ graceMs: 1_000 });
  }
}

describe("client certificates of a webhook server", () => {
  it("are required for admission and must be signed by the CA", async () => {
    await serve({ clientCertificates: { authorities: clientAuthority.cert } }, async (port) => {
      assert.equal(await call({ port, client: apiServer }), 200);
      assert.equal(await call({ port, client: neighbour }), 200);
      assert.equal(await call({ port, client: forged }), 403);
      assert.equal(await call({ port }), 403);
    });
  });

  it("must have an allowed name if names are given", async () => {
    const names = ["kube-apiserver", "api.example.com"];
    await serve({ clientCertificates: { authorities: clientAuthority.cert, names } }, async (port) => {
      assert.equal(await call({ port, client: apiServer }), 200);
      assert.equal(await call({ port, client: alternative }), 200);
      assert.equal(await call({ port, client: neighbour }), 403);
    });
  });

  it("are not required for conversion and health, where API servers and the kubelet send none", async () => {
    await serve({ clientCertificates: { authorities: clientAuthority.cert } }, async (port) => {
      assert.equal(await call({ port, path: "/convert", body: conversionReview }), 200);
      assert.equal(await call({ port, path: "/healthz", method: "GET" }), 200);
    });
  });

  it("are verified with other CAs after a reload, also after a renewal of the serving certificate", async () => {
    await serve({ clientCertificates: { authorities: clientAuthority.cert } }, async (port, server) => {
      server.reloadClientCertificates({ authorities: otherAuthority.cert });
      assert.deepEqual([await call({ port, client: apiServer }), await call({ port, client: forged })], [403, 200]);

      server.reload(issue(serverAuthority, { subject: { commonName: "new" }, hosts: ["127.0.0.1"], ...validity }));
      assert.deepEqual([await call({ port, client: apiServer }), await call({ port, client: forged })], [403, 200]);
    });
  });

  it("are not requested by default", async () => {
    await serve({}, async (port, server) => {
      assert.equal(await call({ port }), 200);
      assert.throws(() => server.reloadClientCertificates({ authorities: clientAuthority.cert }), ArgumentError);
    });
  });
});
