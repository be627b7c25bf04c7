import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { sign, verify } from "node:crypto";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { generateKeys } from "./generate-keys.ts";

describe("generateKeys", () => {
  it("returns two halves of one key", () => {
    for (const type of ["P-256", "Ed25519"] as const) {
      const { publicKey, privateKey } = generateKeys(type);
      const data = Buffer.from("data");
      const hash = type === "P-256" ? "sha256" : null;

      assert.ok(verify(hash, data, publicKey, sign(hash, data, privateKey)));
    }
    assert.equal(generateKeys("X25519").publicKey.asymmetricKeyType, "x25519");
  });

  it("returns keys that are exported as JWK without blocking the process when the garbage collector runs", () => {
    // With keys of generateKeyPairSync, Node 20 hangs in this program at the first or second key.
    const program = `
      const { generateKeys } = await import(process.argv[1]);
      for (let i = 0; i < 10; i++) {
        const { publicKey } = generateKeys("P-256");
        for (let j = 0; j < 3000; j++) publicKey.export({ format: "jwk" });
      }`;
    const module = fileURLToPath(new URL("generate-keys.js", import.meta.url));

    const { status, stderr } = spawnSync(
      process.execPath,
      ["--max-semi-space-size=1", "--input-type=module", "--eval", program, module],
      { timeout: 120_000, killSignal: "SIGKILL", encoding: "utf8" },
    );

    assert.equal(status, 0, stderr === "" ? "the program did not end" : stderr);
  });
});
