import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { CertificateError } from "./errors.ts";
import { issue, makeAuthority } from "./issue.ts";
import { checkPair, isSignedBy, readCertificate, splitCertificates } from "./read.ts";
import { subjectOf } from "./subject-of.ts";

const validity = { validFrom: new Date("2025-01-01T00:00:00Z"), validUntil: new Date("2026-03-02T10:20:30Z") };
const authority = makeAuthority({ subject: { commonName: "a", organization: "ü/O=x\nCN=y" }, ...validity });
const pair = issue(authority, { subject: { commonName: "b" }, hosts: ["b.example.com", "::1"], ...validity });

describe("a certificate", () => {
  it("is read with its validity, its hosts and whether it is a CA", () => {
    const facts = readCertificate(pair.cert);

    assert.deepEqual(facts.validFrom, validity.validFrom);
    assert.deepEqual(facts.validUntil, validity.validUntil);
    assert.equal(facts.isAuthority, false);
    assert.deepEqual(facts.hosts, ["b.example.com", "0:0:0:0:0:0:0:1"]);
    assert.match(facts.fingerprint, /^[0-9a-f]{64}$/);
    assert.equal(readCertificate(authority.cert).isAuthority, true);
  });

  it("is recognized as signed by its signer, and not by another CA with the same name", () => {
    const twin = makeAuthority({ subject: { commonName: "a", organization: "ü/O=x\nCN=y" }, ...validity });

    assert.equal(isSignedBy(pair.cert, authority.cert), true);
    assert.equal(isSignedBy(pair.cert, twin.cert), false);
    assert.equal(isSignedBy(pair.cert, pair.cert), false);
  });

  it("is found in a bundle with other text", () => {
    const bundle = `# first\n${authority.cert}junk${pair.cert}-----BEGIN CERTIFICATE-----\ncut off`;

    assert.deepEqual(splitCertificates(bundle), [authority.cert, pair.cert]);
    assert.deepEqual(splitCertificates(""), []);
  });

  it("is refused with another key or an invalid one", () => {
    checkPair(pair);

    assert.throws(() => checkPair({ cert: pair.cert, key: authority.key }), /belongs to another certificate/);
    assert.throws(() => checkPair({ cert: pair.cert, key: "" }), /private key cannot be read/);
    assert.throws(() => checkPair({ cert: "x", key: pair.key }), /certificate cannot be read/);
  });
});

describe("parsing of untrusted input", () => {
  it("returns a subject or throws a CertificateError for random bytes", () => {
    const bytes = new X509Certificate(authority.cert).raw.toString("latin1");

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(bytes, ["\x30\x84\xff\xff\xff\xff", "\x80", "\x00", "\xff", "\xa0\x82"]),
      run: (text) => subjectOf(Buffer.from(text, "latin1")),
      isExpected: (error) => error instanceof CertificateError,
    });
  });

  it("returns properties or throws a CertificateError for random text", () => {
    fuzz({
      count: 5_000,
      input: (chance) => chance.mutate(pair.cert, ["=", "\n", "-----", "A", "ü", "\0"]),
      run: (text) => [readCertificate(text), isSignedBy(text, authority.cert)],
      isExpected: (error) => error instanceof CertificateError,
    });
  });
});
