// A small aggregated API server: discovery of one resource, and an echo of all other requests.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { issue, makeAuthority } from "@homeostat/x509";

/** An aggregated API server on loopback. */
export interface Backend extends AsyncDisposable {
  readonly port: number;
  /** For `spec.caBundle` of an APIService. */
  readonly caBundle: string;
}

/** Request headers that name the user, which the main server must strip. */
const shown = ["x-remote-user", "x-remote-uid", "x-remote-group", "x-remote-extra-scopes", "authorization", "accept"];

/** Starts a server with a certificate for a Service. */
export async function startBackend(serviceHosts: readonly string[]): Promise<Backend> {
  const validity = { validFrom: new Date(Date.now() - 3_600_000), validUntil: new Date(Date.now() + 3_600_000) };
  const authority = makeAuthority({ subject: { commonName: "backend-ca" }, ...validity });
  const pair = issue(authority, { subject: { commonName: "backend" }, hosts: serviceHosts, ...validity });
  const server = createServer({ ...pair, requestCert: true, rejectUnauthorized: false }, respond);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the aggregated server has no port");
  return {
    port: address.port,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { url = "", method = "" } = request;
  response.setHeader("content-type", "application/json");
  const [, , group = "", version = "", ...rest] = url.split("/");
  if (rest.length === 0) {
    response.end(JSON.stringify(discoveryOf(`${group}/${version}`)));
    return;
  }
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const certificate = (request.socket as TLSSocket).getPeerCertificate();
    response.statusCode = url.includes("teapot") ? 418 : 200;
    response.setHeader("x-backend", "yes");
    response.end(
      JSON.stringify({
        method,
        url,
        client: certificate.subject?.CN,
        headers: Object.fromEntries(shown.map((name) => [name, request.headers[name]])),
        body: Buffer.concat(pieces).toString("utf8"),
      }),
    );
  });
}

function discoveryOf(groupVersion: string): unknown {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion,
    resources: [
      {
        name: "readings",
        singularName: "reading",
        namespaced: true,
        kind: "Reading",
        verbs: ["get", "list"],
        shortNames: ["rd"],
      },
      { name: "readings/status", singularName: "", namespaced: true, kind: "Reading", verbs: ["get"] },
    ],
  };
}
