import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fullImageName, packImages } from "./archive.ts";
import { blocks, tarHeader, writeTar } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "tar-test-"));
after(() => rmSync(folder, { recursive: true }));

describe("an archive", () => {
  it("contains files from memory and from disk in whole blocks, with two empty ones at the end", async () => {
    const source = join(folder, "source");
    writeFileSync(source, "x".repeat(1000));
    const path = join(folder, "a.tar");

    await writeTar(path, [
      { name: "small", content: Buffer.from("hello") },
      { name: "empty", content: Buffer.alloc(0) },
      { name: "large", file: source, mode: 0o755 },
    ]);

    const bytes = readFileSync(path);
    assert.equal(bytes.length % 512, 0);
    assert.ok(bytes.subarray(-1024).every((byte) => byte === 0));
    assert.deepEqual(readTar(bytes), [
      { name: "small", mode: 0o644, content: "hello" },
      { name: "empty", mode: 0o644, content: "" },
      { name: "large", mode: 0o755, content: "x".repeat(1000) },
    ]);
  });

  it("has the same bytes for the same files", async () => {
    const collect = async (): Promise<string> => {
      const parts: Uint8Array[] = [];
      for await (const part of blocks([{ name: "a", content: Buffer.from("1") }])) parts.push(part);
      return Buffer.concat(parts).toString("hex");
    };

    assert.equal(await collect(), await collect());
  });

  it("rejects names over 100 bytes and files over 8 GB", () => {
    assert.throws(() => tarHeader({ name: "é".repeat(51), size: 0, mode: 0 }), RangeError);
    assert.throws(() => tarHeader({ name: "a", size: 8 ** 11, mode: 0 }), RangeError);
    assert.equal(tarHeader({ name: "é".repeat(50), size: 8 ** 11 - 1, mode: 0o644 }).length, 512);
  });
});

describe("packImages", () => {
  it("packs one layer under any number of names and commands", async () => {
    const layerPath = join(folder, "layer.tar");
    await writeTar(layerPath, [{ name: "op", content: Buffer.from("#!") }]);
    const path = join(folder, "image.tar");

    await packImages(path, {
      layerPath,
      images: [
        { names: ["docker.io/a/b:1", "docker.io/a/b:2"], entrypoint: ["/op"], cmd: [] },
        { names: ["docker.io/a/c:1"], entrypoint: [], cmd: ["/op", "-v"], env: ["A=1"] },
      ],
    });

    const files = new Map(readTar(readFileSync(path)).map(({ name, content }) => [name, content]));
    const manifest = JSON.parse(files.get("manifest.json") ?? "") as {
      Config: string;
      RepoTags: string[];
      Layers: string[];
    }[];
    assert.deepEqual(
      manifest.map(({ RepoTags }) => RepoTags),
      [["docker.io/a/b:1", "docker.io/a/b:2"], ["docker.io/a/c:1"]],
    );
    const [first, second] = manifest.map(
      ({ Config }) =>
        JSON.parse(files.get(Config) ?? "") as { config: { Env: string[] }; rootfs: { diff_ids: string[] } },
    );
    assert.deepEqual(Object.keys(first?.config ?? {}), ["Entrypoint", "Env", "WorkingDir"]);
    assert.deepEqual(Object.keys(second?.config ?? {}), ["Cmd", "Env", "WorkingDir"]);
    assert.deepEqual([first?.config.Env.length, second?.config.Env.at(-1)], [1, "A=1"]);
    const layer = manifest[0]?.Layers[0] ?? "";
    assert.equal(files.get(layer), readFileSync(layerPath, "utf8"));
    assert.deepEqual(first?.rootfs.diff_ids, [`sha256:${layer.replace(".tar", "")}`]);
  });
});

describe("fullImageName", () => {
  const names = {
    "redis:7": "docker.io/library/redis:7",
    redis: "docker.io/library/redis:latest",
    "me/op": "docker.io/me/op:latest",
    "localhost/op:1": "localhost/op:1",
    "registry.example:5000/a/b": "registry.example:5000/a/b:latest",
    "a/b@sha256:0123": "docker.io/a/b@sha256:0123",
  };
  for (const [short, full] of Object.entries(names)) {
    it(`expands ${short} to ${full}`, () => {
      assert.equal(fullImageName(short), full);
    });
  }

  it("quickly rejects a name with many separators", () => {
    assert.throws(() => fullImageName(`a${"-".repeat(250)}!`), /is not a valid image name/);
  });
});

/** Returns the files in an archive; fails if a checksum does not match. */
function readTar(bytes: Buffer): { name: string; mode: number; content: string }[] {
  const files = [];
  for (let at = 0; bytes[at] !== 0;) {
    const header = Buffer.from(bytes.subarray(at, at + 512));
    const field = (from: number, to: number): string => header.toString("utf8", from, to).replace(/[\0 ]+$/, "");
    assert.equal(field(257, 262), "ustar");
    const sum = Number.parseInt(field(148, 156), 8);
    header.fill(" ", 148, 156);
    assert.equal(
      header.reduce((total, byte) => total + byte, 0),
      sum,
    );
    const size = Number.parseInt(field(124, 136), 8);
    const content = bytes.toString("utf8", at + 512, at + 512 + size);
    files.push({ name: field(0, 100), mode: Number.parseInt(field(100, 108), 8), content });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
