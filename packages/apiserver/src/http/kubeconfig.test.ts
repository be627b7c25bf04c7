import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isSignedBy, readCertificate } from "@homeostat/x509";
import { FakeClock } from "@homeostat/core";
import { formatKubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { ServerCertificates } from "./server-certificates.ts";

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const content = { server: "https://127.0.0.1:1", ca: "ca", client: { cert: "cert", key: "key" }, token: 't"o' };

describe("a kubeconfig", () => {
  it("is written for its owner only, over what was there before, and leaves nothing else", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "config");
      await writeFile(path, "old", { mode: 0o644 });

      await writeKubeconfig(path, content);

      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal(await readFile(path, "utf8"), formatKubeconfig(content));
      assert.deepEqual(await readdir(folder), ["config"]);
    });
  });

  it("takes the place of a link and does not write through it", async () => {
    await inFolder(async (folder) => {
      await writeFile(join(folder, "other"), "other");
      await symlink(join(folder, "other"), join(folder, "config"));

      await writeKubeconfig(join(folder, "config"), content);

      assert.equal(await readFile(join(folder, "other"), "utf8"), "other");
    });
  });

  it("has its values in quotes, so that no name changes its shape", () => {
    const text = formatKubeconfig({ ...content, name: 'a: b\n- "c"', namespace: "x" });

    assert.match(text, /^current-context: "a: b\\n- \\"c\\""$/m);
    assert.match(text, /^ {6}token: "t\\"o"$/m);
    assert.match(text, /^ {6}namespace: "x"$/m);
  });
});

describe("certificates of a server", () => {
  it("are made once, by one authority, for what they are good for", () => {
    const made = new ServerCertificates({
      clock: new FakeClock({ now: Date.parse("2026-05-01T00:00:00Z") }),
      hosts: ["localhost", "10.0.0.1"],
    });
    const admin = made.client();

    assert.equal(made.client(), admin);
    assert.notEqual(made.client({ user: "jane" }), admin);
    assert.equal(isSignedBy(admin.cert, made.ca), true);
    assert.equal(isSignedBy(made.server.cert, made.ca), true);
    assert.deepEqual(readCertificate(made.server.cert).hosts, ["localhost", "10.0.0.1"]);
    assert.equal(readCertificate(made.ca).validFrom.toISOString(), "2026-04-30T00:00:00.000Z");
  });
});
