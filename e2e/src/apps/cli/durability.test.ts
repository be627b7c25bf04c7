// Kills a cluster with a data directory again and again while objects are written.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, describe, it } from "node:test";
import { type Client, createClient, loadConnection } from "@homeostat/client";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { repository } from "../../harness/repository.ts";

const bin = join(repository, "apps/cli/bin/homeostat.js");
const folder = mkdtempSync(join(tmpdir(), "homeostat-kill-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const kills = 8;
const namespace = "default";

interface Started extends Disposable {
  readonly client: Client;
  kill(): Promise<void>;
}

async function start(life: number): Promise<Started> {
  const kubeconfig = join(folder, `kubeconfig-${life}`);
  const words = ["cluster", "--api-only", "--data", join(folder, "data"), "--kubeconfig", kubeconfig];
  const child = spawn(process.execPath, [...process.execArgv, bin, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  for (let left = 600; !existsSync(kubeconfig) && left > 0; left -= 1) await sleep(50);
  const client = createClient(await loadConnection({ file: kubeconfig }));
  return {
    client,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    [Symbol.dispose]: () => client.close(),
  };
}

describe("a cluster with a data directory", () => {
  it("keeps every acknowledged write when it is killed and restarted", async () => {
    const acknowledged = new Set<string>();
    for (let life = 0; life < kills; life += 1) {
      using started = await start(life);
      const { client } = started;
      const before = await client.list(ConfigMap, { namespace });
      const names = new Set(before.items.map(({ metadata }) => metadata.name));
      const known = acknowledged.size;
      const lost = [...acknowledged].filter((name) => !names.has(name));
      assert.deepEqual(lost, [], `after ${life} kills`);

      const writing = Array.from({ length: 6 }, async (_, writer) => {
        for (let number = 0; number < 1_000; number += 1) {
          const name = `life-${life}-${writer}-${number}`;
          try {
            await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } });
            acknowledged.add(name);
          } catch {
            // The process was killed before the response arrived: the write may or may not be stored.
            return;
          }
        }
      });
      for (let left = 600; acknowledged.size === known && left > 0; left -= 1) await sleep(50);
      await sleep(10 + 37 * life);
      await started.kill();
      await Promise.all(writing);
    }

    assert.ok(acknowledged.size > kills, `only ${acknowledged.size} writes were acknowledged`);
  });
});
