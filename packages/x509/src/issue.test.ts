import assert from "node:assert/strict";
import { X509Certificate, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { type TLSSocket, connect, createServer } from "node:tls";
import { CertificateError } from "./errors.ts";
import { issue, makeAuthority, makeSigningKey } from "./issue.ts";

const validity = { validFrom: new Date("2025-01-01T00:00:00Z"), validUntil: new Date("2054-03-02T10:20:30Z") };
const subject = { commonName: "test-ca" };
const hosts = ["localhost", "kubernetes.default.svc", "127.0.0.1", "10.96.0.1", "fd00::ff:1"];

describe("makeAuthority", () => {
  it("creates a self-signed CA", () => {
    const authority = makeAuthority({ subject, ...validity });

    const cert = new X509Certificate(authority.cert);

    assert.equal(cert.ca, true);
    assert.equal(cert.subject, "CN=test-ca");
    assert.equal(cert.issuer, "CN=test-ca");
    assert.ok(cert.verify(cert.publicKey));
    assert.ok(cert.checkPrivateKey(createPrivateKey(authority.key)));
  });

  it("sets the requested validity, also beyond 2049", () => {
    const cert = new X509Certificate(makeAuthority({ subject, ...validity }).cert);

    assert.equal(Date.parse(cert.validFrom), validity.validFrom.getTime());
    assert.equal(Date.parse(cert.validTo), validity.validUntil.getTime());
  });

  it("assigns a different serial number to every certificate", () => {
    const authority = makeAuthority({ subject, ...validity });

    const serials = Array.from(
      { length: 50 },
      () => new X509Certificate(issue(authority, { subject, ...validity }).cert).serialNumber,
    );

    assert.equal(new Set(serials).size, 50);
  });
});

describe("an issued certificate", () => {
  const authority = makeAuthority({ subject, ...validity });
  const user = { commonName: "system:node:node1", organization: "system:nodes" };
  const pair = issue(authority, { subject: user, hosts, ...validity });
  const cert = new X509Certificate(pair.cert);

  it("has the user and group where Kubernetes reads them", () => {
    assert.equal(cert.subject, "O=system:nodes\nCN=system:node:node1");
    assert.equal(cert.issuer, "CN=test-ca");
    assert.equal(cert.ca, false);
  });

  it("is signed by its authority only", () => {
    const other = makeAuthority({ subject, ...validity });

    assert.ok(cert.checkIssued(new X509Certificate(authority.cert)));
    assert.ok(cert.verify(new X509Certificate(authority.cert).publicKey));
    assert.ok(!cert.verify(new X509Certificate(other.cert).publicKey));
  });

  it("is valid for its hosts only, and for servers and clients by default", () => {
    assert.equal(cert.checkHost("kubernetes.default.svc"), "kubernetes.default.svc");
    assert.equal(cert.checkIP("10.96.0.1"), "10.96.0.1");
    assert.equal(cert.checkIP("fd00::ff:1"), "fd00::ff:1");
    assert.equal(cert.checkHost("example.org"), undefined);
    assert.equal(cert.checkIP("10.96.0.2"), undefined);
    assert.deepEqual(cert.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  });

  it("is valid for one usage if only one is requested", () => {
    const serving = new X509Certificate(issue(authority, { subject, usages: ["server"], ...validity }).cert);

    assert.deepEqual(serving.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
  });

  it("is not issued by a certificate that is not a CA, for an inverted validity or for an invalid host", () => {
    const backwards = { validFrom: validity.validUntil, validUntil: validity.validFrom };

    assert.throws(() => issue(pair, { subject, ...validity }), CertificateError);
    assert.throws(() => issue({ cert: authority.cert, key: pair.key }, { subject, ...validity }), CertificateError);
    assert.throws(() => issue(authority, { subject, ...backwards }), CertificateError);
    assert.throws(() => issue(authority, { subject, hosts: ["a b"], ...validity }), CertificateError);
  });

  it("authenticates client and server to each other over TLS", async () => {
    const client = issue(authority, { subject: { commonName: "admin", organization: "system:masters" }, ...validity });
    const server = createServer({ ...pair, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    const accepted = once(server, "secureConnection");
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;

    const socket = connect({ port, host: "127.0.0.1", ca: authority.cert, ...client });
    await once(socket, "secureConnect");
    const [peer] = (await accepted) as [TLSSocket];

    assert.equal(socket.authorized, true);
    assert.equal(peer.authorized, true);
    assert.deepEqual({ ...peer.getPeerCertificate().subject }, { O: "system:masters", CN: "admin" });
    socket.destroy();
    server.close();
    await once(server, "close");
  });
});

describe("makeSigningKey", () => {
  it("returns a matching private and public key", () => {
    const { privateKey, publicKey } = makeSigningKey();
    const signature = sign("sha256", Buffer.from("token"), createPrivateKey(privateKey));

    assert.ok(verify("sha256", Buffer.from("token"), createPublicKey(publicKey), signature));
  });
});
