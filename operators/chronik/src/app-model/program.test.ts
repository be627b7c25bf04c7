import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import { ComponentClient } from "../component/client.ts";
import type { QuorumView } from "../component/contract.ts";
import { runStub } from "./program.ts";

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

/** Polls until `look` returns a value, for at most 30 seconds. */
async function poll<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < 600; attempts += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await systemClock.sleep(50);
  }
  throw new Error(`Timed out waiting until ${what}`);
}

describe("the stub as a program", () => {
  it("forms a quorum over HTTP, and continues on its folder after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-stub-"));
    // Members are on addresses of their own, as pods are, so that ports can be mapped by the address.
    const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
    const ports = new Map<string, number>();
    for (const host of hosts) for (const port of [8081, 8080, 9090]) ports.set(`${host}:${port}`, await freePort());
    const voters = hosts.map((host, index) => ({ id: index + 1, name: host, address: `${host}:9090` }));
    const portOf = (host: string, port: number): number => ports.get(`${host}:${port}`) ?? port;
    const run = (index: number): { readonly stop: () => Promise<void> } => {
      const host = hosts[index] ?? "";
      const config = join(folder, `config-${index}`);
      mkdirSync(config, { recursive: true });
      const lines = [
        `node_id = ${index + 1}`,
        "bootstrap = true",
        "[advertise]",
        `grpc = "${host}:9090"`,
        "[raft]",
        "tick_ms = 20",
      ];
      writeFileSync(join(config, "own.toml"), lines.join("\n"));
      writeFileSync(join(config, "members.json"), JSON.stringify({ voters }));
      const env = {
        CHRONIK_ROLE: "controller",
        CHRONIK_CLUSTER_NAME: "c",
        CHRONIK_CONFIG_PATH: config,
        CHRONIK_CONFIG_FILE: join(config, "own.toml"),
        STORAGE_PATH: join(folder, `data-${index}`),
      };
      const stopping = new AbortController();
      const running = runStub({ env, signal: stopping.signal, host, portOf });
      return {
        stop: async () => {
          stopping.abort();
          await running;
        },
      };
    };
    const client = new ComponentClient({
      clock: systemClock,
      resolve: (host, port) => ({ host, port: portOf(host, port) }),
    });
    const { signal } = new AbortController();
    const viewOf = async (index: number): Promise<QuorumView | undefined> => {
      const result = await client.quorum({ ip: hosts[index] ?? "", nodeId: index + 1 }, signal);
      return result.type === "response" && result.value.leaderId !== undefined ? result.value : undefined;
    };
    const isComplete = async (index: number): Promise<QuorumView | undefined> => {
      const view = await viewOf(index);
      return view?.voters.every(({ caughtUp }) => caughtUp) === true ? view : undefined;
    };
    const members = [run(0), run(1), run(2)];
    try {
      const before = await poll("all voters are caught up", () => isComplete(2));
      assert.equal(before.voters.length, 3);

      await members[2]?.stop();
      members[2] = run(2);
      const after = await poll("the restarted voter is caught up", () => isComplete(2));
      assert.equal(after.incarnation, before.incarnation);
    } finally {
      for (const member of members) await member.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
