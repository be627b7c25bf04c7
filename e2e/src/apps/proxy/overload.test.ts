// The program of apps/proxy under 9,900 connections, of which 900 misuse it. Its memory stays below the limit of its container, time limits close the
// connections of slow clients, and all other clients are served meanwhile. Machines that allow fewer open files have fewer idle connections.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { memoryMiBMax, OverloadedProxy } from "./overloaded-proxy.ts";

/**
 * Connections by kind: together 9,900 of the 10,000 that a port accepts, if the machine allows as many open files. All stalled responses together are four
 * times the limit of the memory.
 */
const connections = {
  idle: Math.min(9_000, openFilesMax() - 1_500),
  slowloris: 500,
  headers: 200,
  stalled: 200,
} as const;
type Kind = keyof typeof connections;

const limits = "requestHeadMs=4000,streamIdleMs=4000";

describe("the proxy under overload", { timeout: 300_000 }, () => {
  let proxy: OverloadedProxy;
  let filesWhenIdle = 0;

  before(async () => {
    proxy = await OverloadedProxy.start({ limits, clients: "hostile-clients.js", protocols: ["http1"] });
  });
  after(() => proxy?.[Symbol.asyncDispose]());

  const open = (kind: Kind): Promise<void> => proxy.open(kind, connections[kind]);

  it("keeps thousands of idle connections", async (context) => {
    context.diagnostic(`${connections.idle} connections`);
    await open("idle");

    filesWhenIdle = proxy.openFiles();
    assert.ok(filesWhenIdle > connections.idle, `${filesWhenIdle} open files`);
  });

  it("refuses heads that do not end or are too large, and closes connections whose clients do not read", async () => {
    await Promise.all([open("slowloris"), open("headers"), open("stalled")]);

    assert.deepEqual(await proxy.closed("headers"), { 431: connections.headers });
    assert.deepEqual(await proxy.closed("slowloris"), { 408: connections.slowloris });
    // Some files for the connections of other clients, and for those to the upstream.
    while (proxy.openFiles() > filesWhenIdle + 20) await proxy.pause();
  });

  it("serves the idle connections, which are still open", async () => {
    proxy.signal("idle", "SIGUSR2");

    await proxy.printed("idle", `again ${connections.idle}\n`);
  });

  it("has used less memory than its container has, and served other clients all the time", (context) => {
    context.diagnostic(`${proxy.peakMiB().toFixed(0)} MiB, ${proxy.served} requests`);
    assert.ok(proxy.peakMiB() < memoryMiBMax, `${proxy.peakMiB()} MiB`);
    assert.deepEqual(proxy.failed, []);
    assert.ok(proxy.served > 20, `${proxy.served} requests`);
  });
});

/** Returns the number of files that a process may have open, after it has raised its limit. */
function openFilesMax(): number {
  const [, hard = "0"] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return hard === "unlimited" ? Infinity : Number(hard);
}
