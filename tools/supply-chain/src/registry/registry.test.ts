import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { isRecord } from "../repository.ts";
import { startRegistry } from "./registry.ts";

/** Returns a gzipped tar archive with one file. */
function archiveWith(path: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(content.length.toString(8).padStart(11, "0"), 124);
  return gzipSync(Buffer.concat([header, content, Buffer.alloc(((512 - (content.length % 512)) % 512) + 1024)]));
}

describe("the registry of a checkout", () => {
  let folder = "";
  const archive = archiveWith(
    "package/package.json",
    JSON.stringify({ name: "@x/a", version: "1.2.0", dependencies: {} }),
  );

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "registry-"));
    writeFileSync(join(folder, "x-a-1.2.0.tgz"), archive);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("serves the document and the archive of a package", async () => {
    await using registry = await startRegistry({
      archives: [join(folder, "x-a-1.2.0.tgz")],
      upstream: "https://registry.invalid/",
    });

    const document: unknown = await (await fetch(`${registry.url}@x%2fa`)).json();

    assert.ok(isRecord(document) && isRecord(document["versions"]));
    const version = document["versions"]["1.2.0"];
    assert.ok(isRecord(version) && isRecord(version["dist"]));
    assert.equal(document["name"], "@x/a");
    assert.match(String(version["dist"]["integrity"]), /^sha512-/);
    const tarball = await fetch(String(version["dist"]["tarball"]));
    assert.deepEqual(Buffer.from(await tarball.arrayBuffer()), archive);
  });

  it("redirects requests for other packages, and writes nothing", async () => {
    await using registry = await startRegistry({
      archives: [join(folder, "x-a-1.2.0.tgz")],
      upstream: "https://registry.invalid/",
    });

    const other = await fetch(`${registry.url}typescript`, { redirect: "manual" });
    const write = await fetch(`${registry.url}@x%2fa`, { method: "PUT", body: "{}" });

    assert.equal(other.status, 302);
    assert.equal(other.headers.get("location"), "https://registry.invalid/typescript");
    assert.deepEqual(registry.redirected, ["typescript"]);
    assert.equal(write.status, 405);
  });
});
