import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { resolvedFor } from "../testing/build-cases.ts";
import { redisContainer } from "./redis-stateful-set.ts";

describe("the scripts of Redis pods", () => {
  let folder = "";

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "redis-scripts-"));
  });

  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a fake program that shadows the real one of this name in PATH. */
  function stub(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }

  function run([program = "", ...words]: readonly string[]): { readonly status: number | null; readonly text: string } {
    const { status, stdout } = spawnSync(program, words, {
      env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` },
      encoding: "utf8",
    });
    return { status, text: stdout.trim() };
  }

  const probe = redisContainer(resolvedFor()).readinessProbe?.exec?.command ?? [];
  for (const [what, script, isReady] of [
    ["PONG", "echo PONG", true],
    ["LOADING with exit code 0", "echo 'LOADING Redis is loading the dataset in memory'", false],
    ["NOAUTH with exit code 0", "echo 'NOAUTH Authentication required.'", false],
    ["garbage", "printf 'PONG\\nPONG'", false],
    ["with an error", "exit 1", false],
  ] as const) {
    it(`is ${isReady ? "ready" : "not ready"} when Redis replies ${what}`, () => {
      stub("redis-cli", script);

      assert.equal(run(probe).status === 0, isReady);
    });
  }

  for (const [host, words] of [
    ["acme-redis-0", "/etc/redis/redis.conf"],
    ["acme-redis-1", "/etc/redis/redis.conf --replicaof acme-redis-0.acme-redis.tenant-acme.svc 6379"],
    ["acme-redis-10", "/etc/redis/redis.conf --replicaof acme-redis-0.acme-redis.tenant-acme.svc 6379"],
  ] as const) {
    it(`${host.endsWith("-0") ? "starts a master" : "starts a replica"} on ${host}`, () => {
      stub("hostname", `echo ${host}`);
      stub("redis-server", 'echo "$@"');

      assert.equal(run(redisContainer(resolvedFor({ redis: { replicas: 3 } })).command ?? []).text, words);
    });
  }
});
