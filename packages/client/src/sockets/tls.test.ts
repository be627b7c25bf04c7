import assert from "node:assert/strict";
import type { TLSSocket } from "node:tls";
import { after, describe, it } from "node:test";
import { FakeClock, NetworkError } from "@homeostat/core";
import { CredentialsError } from "../credentials/errors.ts";
import { makeCertificate } from "../testing/certificates.ts";
import { closeServers, connectionTo, openConnection, serve, textOf } from "../testing/servers.ts";
import type { Server } from "node:http";
import type { Connection } from "../kubeconfig/connection.ts";

after(closeServers);

const authority = makeCertificate({ subject: "authority" });
const other = makeCertificate({ subject: "other authority" });
const certificate = makeCertificate({ subject: "server", names: ["127.0.0.1", "kubernetes"], issuer: authority });

describe("connect over TLS", () => {
  it("trusts only the given CA", async () => {
    const server = await secure();

    const trusted = openConnection(secured(server, authority.cert));
    const untrusted = openConnection(secured(server, other.cert));
    const unverified = openConnection({
      ...connectionTo(server, "https"),
      tls: { certificateAuthority: undefined, insecureSkipVerify: true, serverName: undefined },
    });

    assert.equal(await textOf(await trusted.send({ method: "GET", path: "/" })), "anonymous");
    assert.equal(await textOf(await unverified.send({ method: "GET", path: "/" })), "anonymous");
    await assert.rejects(
      untrusted.send({ method: "POST", path: "/", body: "{}" }),
      (error) => error instanceof NetworkError && error.outcome === "not-applied",
    );
  });

  it("verifies the certificate against serverName", async () => {
    const server = await secure();
    const named = (serverName: string): Connection => ({
      ...connectionTo(server, "https"),
      tls: { certificateAuthority: { data: authority.cert }, insecureSkipVerify: false, serverName },
    });

    const trusted = openConnection(named("kubernetes"));
    const untrusted = openConnection(named("another-name"));

    assert.equal(await textOf(await trusted.send({ method: "GET", path: "/" })), "anonymous");
    await assert.rejects(untrusted.send({ method: "GET", path: "/" }), /ERR_TLS_CERT_ALTNAME_INVALID/);
  });

  it("sends its client certificate, and the new one on new connections after a rotation", async () => {
    const server = await secure();
    const clock = new FakeClock();
    const first = makeCertificate({ subject: "first", issuer: authority });
    const second = makeCertificate({ subject: "second", issuer: authority });
    const files = new Map([
      ["/cert", first.cert],
      ["/key", first.key],
    ]);
    const connection = secured(server, authority.cert);
    const transport = openConnection(
      {
        ...connection,
        identity: { ...connection.identity, clientCertificate: { path: "/cert" }, clientKey: { path: "/key" } },
      },
      { clock, files: { read: (path) => Promise.resolve(files.get(path) ?? "") } },
    );
    const who = async (): Promise<string> => textOf(await transport.send({ method: "GET", path: "/" }));

    const stream = await transport.send({ method: "GET", path: "/endless", isStream: true });
    const pieces = stream.body[Symbol.asyncIterator]();
    const before = await who();
    files.set("/cert", second.cert);
    await clock.advance(20_000);
    const halfway = await who();
    files.set("/key", second.key);
    await clock.advance(20_000);
    const after = await who();

    assert.deepEqual([before, halfway, after], ["first", "first", "second"]);
    assert.equal(Buffer.from((await pieces.next()).value ?? []).toString(), "first", "a watch goes on as it began");
    transport.close();
    await assert.rejects(pieces.next(), NetworkError);
  });

  it("throws for an invalid certificate, and recovers when it is valid", async () => {
    const server = await secure();
    const clock = new FakeClock();
    let cert = "no certificate";
    const connection = secured(server, authority.cert);
    const mine = makeCertificate({ subject: "mine", issuer: authority });
    const transport = openConnection(
      { ...connection, identity: { clientCertificate: { path: "/cert" }, clientKey: { data: mine.key } } },
      { clock, requestsMax: 1, files: { read: () => Promise.resolve(cert) } },
    );

    await assert.rejects(transport.send({ method: "GET", path: "/" }), CredentialsError);
    await assert.rejects(transport.send({ method: "GET", path: "/" }), CredentialsError);
    cert = mine.cert;
    await clock.advance(20_000);

    assert.equal(await textOf(await transport.send({ method: "GET", path: "/" })), "mine");
  });

  it("uses a new CA after a rotation of its file", async () => {
    const server = await secure();
    const clock = new FakeClock();
    let text = other.cert;
    const connection = connectionTo(server, "https");
    const transport = openConnection(
      {
        ...connection,
        tls: { certificateAuthority: { path: "/ca" }, insecureSkipVerify: false, serverName: undefined },
      },
      { clock, files: { read: () => Promise.resolve(text) } },
    );

    await assert.rejects(transport.send({ method: "GET", path: "/" }), NetworkError);
    text = authority.cert;
    await clock.advance(20_000);

    assert.equal(await textOf(await transport.send({ method: "GET", path: "/" })), "anonymous");
  });
});

/** Starts a server that responds with the subject of the client certificate. */
function secure(): Promise<Server> {
  return serve(
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.write((subject as { CN?: string } | undefined)?.CN ?? "anonymous");
      if (request.url?.endsWith("/endless") !== true) response.end();
    },
    { cert: certificate.cert, key: certificate.key, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
  );
}

function secured(server: Server, authorityText: string): Connection {
  return {
    ...connectionTo(server, "https"),
    tls: { certificateAuthority: { data: authorityText }, insecureSkipVerify: false, serverName: undefined },
  };
}
