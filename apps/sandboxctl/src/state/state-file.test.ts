import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { isRunning, readStates, removeFiles, removeState, type TunnelState, writeState } from "./state-file.ts";

const clock = new FakeClock();

const state: TunnelState = {
  pid: process.pid,
  namespace: "shop",
  name: "pr-cart",
  uid: "0a1b2c3d-0000-0000-0000-000000000000",
  isOwn: true,
  isReady: true,
  kubeconfig: "",
  context: "",
  files: "",
  sandbox: "pr",
  service: "cart",
  state: "attached",
  since: "2026-01-01T00:00:00Z",
  routingKey: "key",
  transport: "tls",
  server: "127.0.0.1:1",
  replica: "",
  rttMs: 1,
  socks: "127.0.0.1:2",
  ports: [],
  connections: 0,
  open: 0,
  failed: 0,
  bytesIn: 0,
  bytesOut: 0,
  lastError: "",
  refreshedAt: clock.now(),
};

describe("the state of a tunnel", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("is readable by the user only, and kept apart for clusters with the same names", async () => {
    const other = { ...state, uid: "ffffffff-0000-0000-0000-000000000000" };
    await writeState(folder, state);
    await writeState(folder, other);

    assert.deepEqual(await readStates(folder), [state, other]);
    const { mode } = await stat(join(folder, "tunnels", "shop.pr-cart.0a1b2c3d.json"));
    assert.equal(mode & 0o777, 0o600);
    await removeState(folder, other);
    assert.deepEqual(await readStates(folder), [state]);
  });

  it("is left out if its file is damaged or of another version", async () => {
    await writeState(folder, state);
    await writeFile(join(folder, "tunnels", "damaged.json"), '{"pid": 1');
    await writeFile(join(folder, "tunnels", "older.json"), JSON.stringify({ ...state, uid: undefined }));

    assert.deepEqual(await readStates(folder), [state]);
  });

  it("is that of a running process while it is refreshed and the process exists", () => {
    assert.ok(isRunning(state, clock));
    assert.ok(!isRunning({ ...state, refreshedAt: clock.now() - 60_000 }, clock), "another process has the id");
    // Larger than the largest process id of Linux.
    assert.ok(!isRunning({ ...state, pid: 2 ** 30 }, clock));
  });

  it("names files of the baseline, and never leads to the removal of another folder", async () => {
    const files = join(folder, "sandboxctl-files-aB3dE6");
    const others = [join(folder, "sandboxctl-files-"), join(folder, "important"), folder];
    for (const path of [files, ...others]) await mkdir(path, { recursive: true });

    for (const path of [files, ...others, ""]) await removeFiles({ files: path });

    await assert.rejects(stat(files), { code: "ENOENT" });
    for (const path of others) assert.ok((await stat(path)).isDirectory());
  });
});
