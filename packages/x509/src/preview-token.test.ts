import assert from "node:assert/strict";
import { createHmac, sign } from "node:crypto";
import { describe, it } from "node:test";
import { generateKeys } from "./generate-keys.ts";
import { type PreviewClaims, PreviewVerifier, signPreviewToken } from "./preview-token.ts";

const claims: PreviewClaims = {
  host: "web--k3v.preview.test",
  key: "k3v",
  exp: 2_000_000_000,
  jti: "id-1",
  sub: "alice",
};

function pairOf(id: string) {
  const { publicKey, privateKey } = generateKeys("Ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { signer: { id, privateKey }, key: { id, key: x }, publicKey };
}

const first = pairOf("one");
const second = pairOf("two");
const verifier = new PreviewVerifier([first.key, second.key]);

function partsOf(token: string): [header: string, payload: string, signature: string] {
  const [header = "", payload = "", signature = ""] = token.split(".");
  return [header, payload, signature];
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Returns a token with a valid signature over any header and payload. */
function signed(header: unknown, payload: unknown): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), first.signer.privateKey).toString("base64url")}`;
}

describe("a preview token", () => {
  it("is accepted with the signature of each of two keys", () => {
    for (const { signer } of [first, second])
      assert.deepEqual(verifier.verify(signPreviewToken(claims, signer)), { claims });
  });

  it("is refused if its key was removed", () => {
    const token = signPreviewToken(claims, first.signer);

    assert.deepEqual(new PreviewVerifier([second.key]).verify(token), { problem: "unknown-key" });
  });

  it("is refused if it names another key than the one that signed it", () => {
    const token = signPreviewToken(claims, { ...first.signer, id: "two" });

    assert.deepEqual(verifier.verify(token), { problem: "bad-signature" });
  });

  it("is refused if any claim was changed", () => {
    const [header, , signature] = partsOf(signPreviewToken(claims, first.signer));
    for (const change of [{ host: "other" }, { key: "other" }, { exp: 1 }, { jti: "other" }, { sub: "bob" }]) {
      const token = `${header}.${encode({ ...claims, ...change })}.${signature}`;
      assert.deepEqual(verifier.verify(token), { problem: "bad-signature" });
    }
  });

  it("is refused with any other algorithm, even if its signature is valid", () => {
    for (const alg of ["none", "HS256", "ES256", "RS256", "eddsa", "", undefined]) {
      const token = signed({ alg, kid: "one", typ: "preview+jwt" }, claims);
      assert.deepEqual(verifier.verify(token), { problem: "malformed" }, String(alg));
    }
  });

  it("is refused if the public key was used as the secret of a symmetric signature", () => {
    for (const alg of ["HS256", "EdDSA"]) {
      const text = `${encode({ alg, kid: "one", typ: "preview+jwt" })}.${encode(claims)}`;
      for (const secret of [first.key.key, first.publicKey.export({ format: "pem", type: "spki" })]) {
        const token = `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
        assert.deepEqual(verifier.verify(token), { problem: "malformed" });
      }
    }
  });

  it("is refused without a signature, with another type, and with a header that must be understood", () => {
    const [header, payload] = partsOf(signPreviewToken(claims, first.signer));
    const fields = { alg: "EdDSA", kid: "one", typ: "preview+jwt" };
    const cases = [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      signed({ ...fields, typ: "JWT" }, claims),
      signed({ ...fields, crit: ["exp"] }, claims),
      signed({ ...fields, kid: 1 }, claims),
      signed({ ...fields, kid: "__proto__" }, claims),
    ];
    for (const token of cases) assert.ok("problem" in verifier.verify(token), token);
  });

  it("is refused if a claim is missing or has another type", () => {
    const fields = { alg: "EdDSA", kid: "one", typ: "preview+jwt" };
    for (const name of Object.keys(claims)) {
      assert.deepEqual(verifier.verify(signed(fields, { ...claims, [name]: undefined })), { problem: "malformed" });
      assert.deepEqual(verifier.verify(signed(fields, { ...claims, [name]: {} })), { problem: "malformed" });
    }
  });

  it("keeps the user whom it is bound to, in a type of its own", () => {
    const token = signPreviewToken({ ...claims, for: "bob" }, first.signer);

    assert.deepEqual(verifier.verify(token), { claims: { ...claims, for: "bob" } });
    // A verifier that does not know the claim accepts only the type preview+jwt.
    assert.deepEqual(JSON.parse(Buffer.from(partsOf(token)[0], "base64url").toString()), {
      alg: "EdDSA",
      kid: "one",
      typ: "preview-bound+jwt",
    });
  });

  it("is refused if its type and its claim disagree about a user", () => {
    const plain = { alg: "EdDSA", kid: "one", typ: "preview+jwt" };
    const bound = { ...plain, typ: "preview-bound+jwt" };
    const cases = [
      signed(plain, { ...claims, for: "bob" }),
      signed(bound, claims),
      signed(bound, { ...claims, for: "" }),
      signed(bound, { ...claims, for: ["bob"] }),
    ];
    for (const token of cases) assert.deepEqual(verifier.verify(token), { problem: "malformed" });
  });

  it("is refused if it is not a token at all", () => {
    for (const text of ["", ".", "..", "...", "a.b.c", "é.é.é", "x".repeat(100_000), `${"a".repeat(3000)}.b.c`])
      assert.deepEqual(verifier.verify(text), { problem: "malformed" });
  });

  it("is refused after any single character was changed", () => {
    const token = signPreviewToken(claims, first.signer);
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === "A" ? "B" : "A";
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      const verified = verifier.verify(changed);
      // The last character of the signature has bits that no byte contains.
      if (at === token.length - 1 && "claims" in verified) continue;
      assert.ok("problem" in verified, `${at}`);
    }
  });
});
