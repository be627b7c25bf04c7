import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { isPublicKey, isSignedBy, MachineKey, machineId, type SignedFacts } from "./machine-key.ts";

const facts: SignedFacts = {
  nonce: "q83vEjRWeJA",
  certificateSha256: "ab".repeat(32),
  namespace: "shop",
  name: "jane-orders",
  uid: "5c1f6a0e-7f0b-4a58-9f59-0a4b7f7f2c11",
};

describe("MachineKey", () => {
  it("signs facts that its public key verifies", () => {
    const key = MachineKey.generate();

    assert.ok(isPublicKey(key.publicKey));
    assert.ok(isSignedBy(key.publicKey, facts, key.sign(facts)));
  });

  for (const field of ["nonce", "certificateSha256", "namespace", "name", "uid"] as const) {
    it(`makes no signature that is valid for another ${field}`, () => {
      const key = MachineKey.generate();

      assert.ok(!isSignedBy(key.publicKey, { ...facts, [field]: `${facts[field]}x` }, key.sign(facts)));
    });
  }

  it("does not sign facts that could be read as others", () => {
    const key = MachineKey.generate();

    assert.throws(() => key.sign({ ...facts, namespace: "shop\njane" }), TypeError);
    assert.ok(!isSignedBy(key.publicKey, { ...facts, name: "a\nb" }, key.sign(facts)));
  });

  it("is not valid for another key, and refuses malformed keys and signatures", () => {
    const key = MachineKey.generate();
    const signature = key.sign(facts);

    for (const publicKey of [
      MachineKey.generate().publicKey,
      "",
      "x",
      "A".repeat(43),
      "A".repeat(44),
      `${"A".repeat(42)}!`,
    ])
      assert.ok(!isSignedBy(publicKey, facts, signature), publicKey);
    for (const wrong of ["", "x", "A".repeat(86), signature.slice(1), `${signature}A`])
      assert.ok(!isSignedBy(key.publicKey, facts, wrong), wrong);
  });

  it("accepts one text for each key", () => {
    const { publicKey } = MachineKey.generate();
    const last = publicKey.slice(-1);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const other = alphabet[(alphabet.indexOf(last) & ~3) | ((alphabet.indexOf(last) + 1) & 3)] ?? "";

    assert.ok(!isPublicKey(publicKey.slice(0, -1) + other));
  });

  it("is read from the PEM that it is stored as", () => {
    const key = MachineKey.generate();
    const copy = MachineKey.fromPem(key.toPem());

    assert.equal(copy.publicKey, key.publicKey);
    assert.ok(isSignedBy(key.publicKey, facts, copy.sign(facts)));
    const rsa = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" });
    assert.throws(() => MachineKey.fromPem(rsa.toString()), /must be ed25519/);
  });

  it("has an id of twelve hexadecimal digits that depends on the key only", () => {
    const { publicKey } = MachineKey.generate();

    assert.match(machineId(publicKey), /^[0-9a-f]{12}$/);
    assert.equal(machineId(publicKey), machineId(publicKey));
    assert.notEqual(machineId(publicKey), machineId(MachineKey.generate().publicKey));
  });
});
