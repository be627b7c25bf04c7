import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isSignedBy, readCertificate } from "@homeostat/x509";
import { FakeClock } from "@homeostat/core";
import { formatKubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { ServerCertificates } from "./server-certificates.ts";

async function inDirectory(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const content = { server: "https://127.0.0.1:1", ca: "ca", client: { cert: "cert", key: "key" }, token: 't"o' };

describe("writeKubeconfig", () => {
  it("replaces the file with one that only its owner can read, and leaves no other file", async () => {
    await inDirectory(async (folder) => {
      const path = join(folder, "config");
      await writeFile(path, "old", { mode: 0o644 });

      await writeKubeconfig(path, content);

      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal(await readFile(path, "utf8"), formatKubeconfig(content));
      assert.deepEqual(await readdir(folder), ["config"]);
    });
  });

  it("replaces a link and does not write through it", async () => {
    await inDirectory(async (folder) => {
      await writeFile(join(folder, "other"), "other");
      await symlink(join(folder, "other"), join(folder, "config"));

      await writeKubeconfig(join(folder, "config"), content);

      assert.equal(await readFile(join(folder, "other"), "utf8"), "other");
    });
  });

  it("quotes all values, so that no name changes the structure", () => {
    const text = formatKubeconfig({ ...content, name: 'a: b\n- "c"', namespace: "x" });

    assert.match(text, /^current-context: "a: b\\n- \\"c\\""$/m);
    assert.match(text, /^ {6}token: "t\\"o"$/m);
    assert.match(text, /^ {6}namespace: "x"$/m);
  });
});

describe("ServerCertificates", () => {
  it("issues each certificate once, signed by one CA, for the given hosts", () => {
    const certificates = new ServerCertificates({
      clock: new FakeClock({ now: Date.parse("2026-05-01T00:00:00Z") }),
      hosts: ["localhost", "10.0.0.1"],
    });
    const admin = certificates.client();

    assert.equal(certificates.client(), admin);
    assert.notEqual(certificates.client({ user: "jane" }), admin);
    assert.equal(isSignedBy(admin.cert, certificates.ca), true);
    assert.equal(isSignedBy(certificates.server.cert, certificates.ca), true);
    assert.deepEqual(readCertificate(certificates.server.cert).hosts, ["localhost", "10.0.0.1"]);
    assert.equal(readCertificate(certificates.ca).validFrom.toISOString(), "2026-04-30T00:00:00.000Z");
  });
});
