import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { CertificateError, issue, makeAuthority } from "@homeostat/x509";
import { userOfCertificate } from "./certificate-user.ts";

const validity = { validFrom: new Date(0), validUntil: new Date(1e12) };
const authority = makeAuthority({ subject: { commonName: "ca" }, ...validity });

function derOf(commonName: string, organization?: string): Buffer {
  const subject = { commonName, ...(organization === undefined ? {} : { organization }) };
  return new X509Certificate(issue(authority, { subject, ...validity }).cert).raw;
}

const commonName = "0603550403";
const organization = "060355040a";
const uid = "06092b0601040183c25302";

/** Returns a certificate that has only a subject: pairs of type and value, both as hexadecimal digits. */
function certificateOf(...subject: [type: string, value: string][]): Buffer {
  const sets = subject.map(([type, value]) => wrap("31", wrap("30", type + value)));
  const before = "0201010000000000".slice(0, 6) + "3000".repeat(3);
  return Buffer.from(wrap("30", wrap("30", before + wrap("30", sets.join("")))), "hex");
}

function wrap(tag: string, content: string): string {
  const length = content.length / 2;
  const digits = length < 128 ? length.toString(16).padStart(2, "0") : `82${length.toString(16).padStart(4, "0")}`;
  return tag + digits + content;
}

const text = (value: string, tag = "0c"): string => wrap(tag, Buffer.from(value).toString("hex"));

describe("userOfCertificate", () => {
  it("uses the common name as user and the organization as group", () => {
    const certificate = derOf("ann <ü>", "system:masters");

    const digest = createHash("sha256").update(certificate).digest("hex");
    assert.deepEqual(userOfCertificate(certificate), {
      name: "ann <ü>",
      uid: "",
      groups: ["system:masters"],
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${digest}`] },
    });
  });

  it("returns undefined without a common name", () => {
    assert.equal(userOfCertificate(certificateOf([organization, text("red")])), undefined);
    assert.equal(userOfCertificate(certificateOf([commonName, text("")])), undefined);
  });

  it("uses the last common name, all organizations, and the UID", () => {
    const user = userOfCertificate(
      certificateOf(
        [commonName, text("a")],
        [organization, text("red", "13")],
        [uid, text("7")],
        [organization, text("blue")],
        [commonName, text("b")],
      ),
    );

    assert.deepEqual([user?.name, user?.groups, user?.uid], ["b", ["red", "blue"], "7"]);
  });

  it("decodes UTF-16 strings", () => {
    assert.equal(userOfCertificate(certificateOf([commonName, wrap("1e", "006100fc")]))?.name, "aü");
  });

  it("refuses several UIDs and an empty one", () => {
    assert.throws(
      () => userOfCertificate(certificateOf([commonName, text("a")], [uid, text("1")], [uid, text("2")])),
      CertificateError,
    );
    assert.throws(() => userOfCertificate(certificateOf([commonName, text("a")], [uid, text("")])), CertificateError);
  });

  it("only throws CertificateError for malformed certificates", () => {
    const good = derOf("ann", "red");

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => {
        const bytes = Buffer.from(good.subarray(0, chance.int(3) === 0 ? chance.int(good.length) : good.length));
        for (let edits = chance.int(4); edits > 0 && bytes.length > 0; edits -= 1) {
          bytes.writeUInt8(
            chance.pick([0, 0x30, 0x80, 0x84, 0xff, chance.int(256)]),
            chance.int(Math.min(bytes.length, 200)),
          );
        }
        return bytes;
      },
      run: (bytes) => userOfCertificate(bytes),
      isExpected: (error) => error instanceof CertificateError,
    });

    assert.ok(accepted > 1000 && accepted < 99_000, String(accepted));
  });
});
