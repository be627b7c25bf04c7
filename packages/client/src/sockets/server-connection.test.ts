import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { NetworkError } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { makeCertificate } from "../testing/certificates.ts";
import { closeServers, connectionTo, portOf, serve, serveTcp } from "../testing/servers.ts";
import { openServerConnection } from "./server-connection.ts";

after(closeServers);

const authority = makeCertificate({ subject: "authority" });
const other = makeCertificate({ subject: "other authority" });
const certificate = makeCertificate({ subject: "server", names: ["127.0.0.1"], issuer: authority });
const { signal } = new AbortController();

const exec = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "login",
  args: [],
  env: [],
  provideClusterInfo: false,
  interactiveMode: "Never",
  installHint: undefined,
} as const;

/** A plugin that issues a token. */
const run = () =>
  Promise.resolve({
    exitCode: 0,
    stdout: JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", status: { token: "of-the-plugin" } }),
    stderr: "",
  });

function secured(connection: Connection, ca: string): Connection {
  return {
    ...connection,
    tls: { certificateAuthority: { data: ca }, insecureSkipVerify: false, serverName: undefined },
  };
}

describe("openServerConnection", () => {
  it("authenticates with a plugin and impersonation, on a verified connection", async () => {
    const server = await serve((_request, response) => response.end("hello"), {
      cert: certificate.cert,
      key: certificate.key,
    });
    const connection: Connection = {
      ...secured(connectionTo(server, "https"), authority.cert),
      identity: { exec },
      impersonate: { user: "jane", uid: undefined, groups: ["a", "b"], extra: new Map() },
    };

    const { socket, host, pathPrefix, headers } = await openServerConnection(connection, { run, env: {}, signal });

    assert.equal(host, `127.0.0.1:${portOf(server)}`);
    assert.equal(pathPrefix, "/prefix");
    assert.deepEqual(headers, {
      authorization: "Bearer of-the-plugin",
      "impersonate-user": "jane",
      "impersonate-group": ["a", "b"],
    });
    socket.write(`GET ${pathPrefix}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match((await socket.setEncoding("utf8").toArray()).join(""), /^HTTP\/1\.1 200 [^]*hello/);
  });

  it("rejects a server that the CA has not signed", async () => {
    const server = await serve((_request, response) => response.end(), {
      cert: certificate.cert,
      key: certificate.key,
    });

    await assert.rejects(
      openServerConnection(secured(connectionTo(server, "https"), other.cert), { env: {}, signal }),
      NetworkError,
    );
  });

  for (const scheme of ["http", "https"] as const) {
    it(`rejects if no server listens (${scheme})`, async () => {
      const server = await serveTcp(() => undefined);
      const connection = connectionTo(server, scheme);
      await new Promise((resolve) => server.close(resolve));

      await assert.rejects(openServerConnection(connection, { env: {}, signal }), NetworkError);
    });
  }

  it("stops waiting for a silent server when the signal aborts", async () => {
    const stopping = new AbortController();
    const server = await serveTcp(() => stopping.abort(new Error("stopped by the test")));

    await assert.rejects(
      openServerConnection(secured(connectionTo(server, "https"), authority.cert), {
        env: {},
        signal: stopping.signal,
      }),
      /stopped by the test/,
    );
  });
});
