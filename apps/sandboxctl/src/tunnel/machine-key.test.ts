import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadMachineKey } from "./machine-key.ts";

describe("the key of a machine", () => {
  it("is created once, readable by its user only, and refused if others can read it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    try {
      const [first, second] = await Promise.all([loadMachineKey(folder), loadMachineKey(folder)]);
      assert.equal(first.publicKey, second.publicKey);
      const file = join(folder, "machine-key.pem");
      assert.equal((await stat(file)).mode & 0o777, 0o600);

      await chmod(file, 0o644);
      await assert.rejects(loadMachineKey(folder), /can be read by other users\. Run chmod 600 /);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
