import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { generateRecipient, openToken, sealToken } from "./sealed-token.ts";

describe("a sealed token", () => {
  const alice = generateRecipient();
  const bob = generateRecipient();

  it("is opened by its recipient only, and differs each time", () => {
    const sealed = sealToken("header.payload.signature", alice.publicKey);

    assert.equal(openToken(sealed, alice), "header.payload.signature");
    assert.equal(openToken(sealed, bob), undefined);
    assert.equal(openToken(sealed, { ...bob, publicKey: alice.publicKey }), undefined);
    assert.notEqual(sealed, sealToken("header.payload.signature", alice.publicKey));
    assert.doesNotMatch(sealed, /signature/);
  });

  it("is not opened after a change, and garbage is not either", () => {
    const sealed = sealToken("token", alice.publicKey);
    const [key = "", text = ""] = sealed.split(".");
    for (const changed of [`${key}.A${text}`, `${bob.publicKey}.${text}`, `${key}.`, "", "a.b", `.${text}`])
      assert.equal(openToken(changed, alice), undefined, changed);
  });

  it("cannot be made for a text that is not a key", () => {
    assert.throws(() => sealToken("token", "not-a-key"));
  });
});
