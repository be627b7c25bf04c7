import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { issue, makeAuthority } from "@homeostat/x509";
import { ApiServer } from "../server/api-server.ts";
import { ask, type Told, watch } from "../testing/ask.ts";
import { standardOptions } from "../server/standard-options.ts";
import { keyPrefix } from "../resources/keys.ts";
import { listAt, textAt, valueAt } from "../values/fields.ts";

const group = "metrics.example.com";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const name = `v1.${group}`;
const validity = { validFrom: new Date(Date.now() - 3_600_000), validUntil: new Date(Date.now() + 3_600_000) };

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** An aggregated server on this machine, and the CA of its certificate. */
interface Backend extends AsyncDisposable {
  readonly port: number;
  readonly caBundle: string;
  readonly server: Server;
}

async function startBackend(respond: Respond, clientCa: string): Promise<Backend> {
  const authority = makeAuthority({ subject: { commonName: "backend-ca" }, ...validity });
  const pair = issue(authority, { subject: { commonName: "backend" }, hosts: ["agg.default.svc"], ...validity });
  const server = createServer({ ...pair, ca: clientCa, requestCert: true, rejectUnauthorized: false }, respond);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    port: address.port,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    server,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const discovery = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [
    { name: "readings", singularName: "reading", namespaced: true, kind: "Reading", verbs: ["get", "list"] },
    { name: "readings/status", singularName: "", namespaced: true, kind: "Reading", verbs: ["get"] },
  ],
};

/** Responds with discovery at the path of the version, and elsewhere with the received request. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  if (request.url === `/apis/${group}/v1`) {
    response.end(JSON.stringify(discovery));
    return;
  }
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const socket = request.socket as TLSSocket;
    response.statusCode = 202;
    response.end(
      JSON.stringify({
        method: request.method,
        path: request.url,
        client: socket.authorized ? socket.getPeerCertificate().subject.CN : "",
        user: request.headers["x-remote-user"],
        groups: request.headers["x-remote-group"],
        extra: request.headers["x-remote-extra-authentication.kubernetes.io%2fcredential-id"],
        authorization: request.headers.authorization ?? "",
        body: Buffer.concat(pieces).toString("utf8"),
      }),
    );
  });
}

function newServer(): ApiServer {
  return new ApiServer(standardOptions());
}

async function register(
  server: ApiServer,
  { port, spec }: { readonly port: number; readonly spec: JsonRecord },
): Promise<void> {
  const externalName = { type: "ExternalName", externalName: "localhost" };
  await ask(server, {
    method: "POST",
    path: "/api/v1/namespaces/default/services",
    body: { apiVersion: "v1", kind: "Service", metadata: { name: "agg" }, spec: externalName },
  });
  const response = await ask(server, {
    method: "POST",
    path: services,
    body: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: "default", name: "agg", port },
        ...spec,
      },
    },
  });
  assert.equal(response.status, 201, response.text);
}

/** Waits until the condition `Available` has a reason, and returns its message. */
async function condition(server: ApiServer, reason: string): Promise<string> {
  const { store } = server;
  const key = `${keyPrefix("apiregistration.k8s.io", "apiservices")}${name}`;
  const found = (): string | undefined => {
    const entry = store.get(key);
    const conditions = entry === undefined ? [] : listAt(store.read(entry), "status", "conditions");
    const available = conditions.find((each) => textAt(each, "type") === "Available");
    return textAt(available, "reason") === reason ? textAt(available, "message") : undefined;
  };
  return new Promise((resolve) => {
    const unsubscribe = store.subscribe(() => {
      const message = found();
      if (message === undefined) return;
      unsubscribe();
      resolve(message);
    });
    const message = found();
    if (message !== undefined) {
      unsubscribe();
      resolve(message);
    }
  });
}

function echoed({ body }: Told, field: string): unknown {
  return valueAt(body, field);
}

describe("an APIService that refers to a Service", () => {
  it("forwards requests with the identity of the user and of the front proxy", async () => {
    await using server = newServer();
    await server.ready();
    await using backend = await startBackend(echo, server.certificates.frontProxy.ca);
    await register(server, { port: backend.port, spec: { caBundle: backend.caBundle } });

    assert.equal(await condition(server, "Passed"), "all checks passed");
    const response = await ask(server, {
      method: "POST",
      path: `/apis/${group}/v1/namespaces/default/readings?dryRun=All`,
      headers: { authorization: "Bearer secret", "x-remote-user": "forged", "x-remote-group": "system:masters" },
      body: { a: 1 },
    });

    assert.equal(response.status, 202);
    assert.equal(echoed(response, "method"), "POST");
    assert.equal(echoed(response, "path"), `/apis/${group}/v1/namespaces/default/readings?dryRun=All`);
    assert.equal(echoed(response, "client"), "front-proxy-client");
    assert.equal(echoed(response, "user"), "admin");
    assert.equal(echoed(response, "groups"), "system:masters, system:authenticated");
    assert.equal(echoed(response, "extra"), "X509SHA256=aa");
    assert.equal(echoed(response, "authorization"), "");
    assert.equal(echoed(response, "body"), '{"a":1}');
  });

  it("appears in discovery with the resources of its server", async () => {
    await using server = newServer();
    await server.ready();
    await using backend = await startBackend(echo, server.certificates.frontProxy.ca);
    await register(server, { port: backend.port, spec: { caBundle: backend.caBundle } });
    await condition(server, "Passed");

    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const aggregated = await ask(server, { path: "/apis", headers: { accept } });
    const legacy = await ask(server, { path: `/apis/${group}` });
    const resources = await ask(server, { path: `/apis/${group}/v1` });

    const item = listAt(aggregated.body, "items").find((each) => textAt(each, "metadata", "name") === group);
    assert.deepEqual(listAt(item, "versions"), [
      {
        version: "v1",
        resources: [
          {
            resource: "readings",
            responseKind: { group: "", version: "", kind: "Reading" },
            scope: "Namespaced",
            singularResource: "reading",
            verbs: ["get", "list"],
            subresources: [
              { subresource: "status", responseKind: { group: "", version: "", kind: "Reading" }, verbs: ["get"] },
            ],
          },
        ],
        freshness: "Current",
      },
    ]);
    assert.equal(textAt(legacy.body, "preferredVersion", "groupVersion"), `${group}/v1`);
    assert.equal(textAt(resources.body, "kind"), "APIResourceList");
  });

  it("is unavailable if its server has a certificate of another CA", async () => {
    await using server = newServer();
    await server.ready();
    await using backend = await startBackend(echo, server.certificates.frontProxy.ca);
    await register(server, { port: backend.port, spec: {} });

    const message = await condition(server, "FailedDiscoveryCheck");
    const response = await ask(server, { path: `/apis/${group}/v1/readings` });

    assert.match(
      message,
      /^failing or missing response from https:\/\/localhost:\d+\/apis\/metrics\.example\.com\/v1: /,
    );
    assert.match(message, /certificate/);
    assert.deepEqual([response.status, response.text], [503, "service unavailable\n"]);
  });

  it("is unavailable if its server switches protocols, sends too much or fails", async () => {
    const responses: readonly Respond[] = [
      (_, response) => response.writeHead(500).end(),
      (request) =>
        void request.socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      (request) => void request.socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1000)),
      (request) => void request.socket.destroy(),
    ];
    for (const respond of responses) {
      await using server = newServer();
      await server.ready();
      await using backend = await startBackend(respond, server.certificates.frontProxy.ca);
      await register(server, { port: backend.port, spec: { insecureSkipTLSVerify: true } });

      assert.match(await condition(server, "FailedDiscoveryCheck"), /^failing or missing response from /);
    }
  });

  it("streams a response and ends it with the request", async () => {
    await using server = newServer();
    await server.ready();
    let isClosed: Promise<unknown> | undefined;
    const respond: Respond = (request, response) => {
      if (request.url === `/apis/${group}/v1`) return void response.end(JSON.stringify(discovery));
      isClosed = once(response, "close");
      response.write('{"type":"ADDED"}\n');
    };
    await using backend = await startBackend(respond, server.certificates.frontProxy.ca);
    await register(server, { port: backend.port, spec: { insecureSkipTLSVerify: true } });
    await condition(server, "Passed");
    const abort = new AbortController();

    const events = watch(server, { path: `/apis/${group}/v1/readings?watch=1` }, abort.signal);
    const first = await events.next();
    abort.abort();

    assert.deepEqual(first.value, { type: "ADDED" });
    await isClosed;
    await events.next().catch(() => undefined);
  });
});
