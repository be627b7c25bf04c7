import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { SecretFiles } from "./secret-files.ts";

describe("SecretFiles", () => {
  let folder = "";
  let problems: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "secrets-"));
    problems = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const files = (byte: number): SecretFiles =>
    new SecretFiles({
      folder,
      clock: new FakeClock(),
      pollMs: 10_000,
      randomBytes: (count) => Buffer.alloc(count, byte),
      onProblem: (file, { message }) => problems.push(`${file.slice(folder.length + 1)}: ${message}`),
    });

  it("has no proxy secret and a key of the process without files", async () => {
    const [one, other] = [files(1), files(2)];
    await Promise.all([one.sync(), other.sync()]);

    assert.equal(one.proxySecret(), undefined);
    assert.equal(one.sessionKey().length, 32);
    assert.notDeepEqual(one.sessionKey(), other.sessionKey());
    assert.deepEqual(problems, []);
  });

  it("follows files that are added, replaced and removed", async () => {
    const followed = files(1);
    const read = async (): Promise<(string | undefined)[]> => {
      await followed.sync();
      return [followed.proxySecret(), followed.sessionKey().toString("latin1")];
    };
    const own = followed.sessionKey().toString("latin1");

    await writeFile(join(folder, "proxy-secret"), "the-secret-of-a-proxy\n");
    await writeFile(join(folder, "session-key"), "key-of-the-sessions");
    const added = await read();
    await writeFile(join(folder, "session-key"), "another-key-of-sessions");
    const replaced = await read();
    await rm(join(folder, "session-key"));
    await rm(join(folder, "proxy-secret"));

    assert.deepEqual(added, ["the-secret-of-a-proxy", "key-of-the-sessions"]);
    assert.deepEqual(replaced, ["the-secret-of-a-proxy", "another-key-of-sessions"]);
    assert.deepEqual(await read(), [undefined, own]);
  });

  it("keeps the value before a file that is too short or cannot be read, and reports it once", async () => {
    const followed = files(1);
    await writeFile(join(folder, "proxy-secret"), "the-secret-of-a-proxy");
    await followed.sync();

    await writeFile(join(folder, "proxy-secret"), "short");
    await followed.sync();
    await followed.sync();

    assert.equal(followed.proxySecret(), "the-secret-of-a-proxy");
    assert.deepEqual(problems, ["proxy-secret: The file has 5 bytes, and at least 16 are required."]);
  });

  it("reads the files again after each interval until the signal aborts", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const followed = new SecretFiles({
      folder,
      clock,
      pollMs: 10_000,
      randomBytes: (count) => Buffer.alloc(count),
      onProblem: () => undefined,
    });
    const running = followed.run(stop.signal);
    await writeFile(join(folder, "proxy-secret"), "the-secret-of-a-proxy");

    while (followed.proxySecret() === undefined) {
      await clock.advance(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }

    stop.abort();
    await running;
  });
});
