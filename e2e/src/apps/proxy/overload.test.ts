// The program of apps/proxy under 9,900 connections, of which 900 misuse it. Its memory stays below the limit of its container, time limits close the
// connections of slow clients, and all other clients are served meanwhile. Machines that allow fewer open files have fewer idle connections.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { type Stage, startStage } from "./stage.ts";

/** Connections by kind: together 9,900 of the 10,000 that a port accepts, if the machine allows as many open files. */
const connections = {
  idle: Math.min(9_000, openFilesMax() - 1_500),
  slowloris: 500,
  headers: 200,
  stalled: 200,
} as const;
type Kind = keyof typeof connections;

/** The container of a proxy may use 512 MiB. */
const memoryMiBMax = 400;
/** All stalled responses together are four times the limit of the memory. */
const large = Buffer.alloc(8 * 1024 * 1024, "x");
const limits = "requestHeadMs=4000,streamIdleMs=4000";

describe("the proxy under overload", { timeout: 300_000 }, () => {
  let upstream: Server;
  let stage: Stage;
  let filesWhenIdle = 0;
  const programs = new Map<Kind, BackgroundProgram>();
  const failed: string[] = [];
  let served = 0;
  const stopping = new AbortController();
  let serving: Promise<void> | undefined;

  before(async () => {
    upstream = createServer((message, response) => response.end(message.url === "/large" ? large : "small"));
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    stage = await startStage({ baseline: address, fork: address }, "fast", { limits, raisesFileLimit: true });
    serving = serve();
  });
  after(async () => {
    stopping.abort();
    await serving;
    for (const program of programs.values()) await program[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
    upstream.closeAllConnections();
    upstream.close();
  });

  /** Sends requests one after the other, each on a connection of its own, and counts those that fail. */
  async function serve(): Promise<void> {
    while (!stopping.signal.aborted) {
      await fetchSmall().then(
        (body) => (body === "small" ? (served += 1) : failed.push(body)),
        (error: unknown) => failed.push(String(error)),
      );
      await setTimeout(20);
    }
  }

  async function fetchSmall(): Promise<string> {
    const outgoing = request({ host: "127.0.0.1", port: stage.port, path: "/name", agent: false });
    outgoing.end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    let body = "";
    for await (const part of response.setEncoding("latin1")) body += part;
    return body;
  }

  /** Waits before the next look at a condition. Rejects when the suite ends. */
  function pause(): Promise<void> {
    return setTimeout(20, undefined, { signal: stopping.signal });
  }

  /** Starts clients of a kind, and waits until their connections are open. */
  async function open(kind: Kind): Promise<void> {
    const program = fileURLToPath(new URL("hostile-clients.js", import.meta.url));
    const words = [process.execPath, program, kind, String(stage.port), String(connections[kind])];
    programs.set(kind, new BackgroundProgram("bash", ["-c", 'ulimit -n "$(ulimit -Hn)"; exec "$0" "$@"', ...words]));
    await printed(kind, "open\n");
  }

  /** Waits until clients of a kind have printed a text, and returns their output. */
  async function printed(kind: Kind, text: string): Promise<string> {
    for (;;) {
      const output = programs.get(kind)?.output ?? "";
      if (output.includes(text)) return output;
      assert.doesNotMatch(output, /Error/);
      await pause();
    }
  }

  /** Waits until the proxy has closed all connections of a kind. Returns the responses by status. */
  async function closed(kind: Kind): Promise<unknown> {
    const output = await printed(kind, "}\n");
    return JSON.parse(output.trim().split("\n").at(-1) ?? "");
  }

  /** The most memory that the proxy has used so far. */
  function peakMiB(): number {
    const status = readFileSync(`/proc/${stage.proxy.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** The number of files and sockets that the proxy has open. */
  function openFiles(): number {
    return readdirSync(`/proc/${stage.proxy.pid}/fd`).length;
  }

  it("keeps thousands of idle connections", async (context) => {
    context.diagnostic(`${connections.idle} connections`);
    await open("idle");

    filesWhenIdle = openFiles();
    assert.ok(filesWhenIdle > connections.idle, `${filesWhenIdle} open files`);
  });

  it("refuses heads that do not end or are too large, and closes connections whose clients do not read", async () => {
    await Promise.all([open("slowloris"), open("headers"), open("stalled")]);

    assert.deepEqual(await closed("headers"), { 431: connections.headers });
    assert.deepEqual(await closed("slowloris"), { 408: connections.slowloris });
    // Some files for the connections of other clients, and for those to the upstream.
    while (openFiles() > filesWhenIdle + 20) await pause();
  });

  it("serves the idle connections, which are still open", async () => {
    process.kill(programs.get("idle")?.pid ?? Number.NaN, "SIGUSR2");

    await printed("idle", `again ${connections.idle}\n`);
  });

  it("has used less memory than its container has, and served other clients all the time", (context) => {
    context.diagnostic(`${peakMiB().toFixed(0)} MiB, ${served} requests`);
    assert.ok(peakMiB() < memoryMiBMax, `${peakMiB()} MiB`);
    assert.deepEqual(failed, []);
    assert.ok(served > 20, `${served} requests`);
  });
});

/** Returns the number of files that a process may have open, after it has raised its limit. */
function openFilesMax(): number {
  const [, hard = "0"] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return hard === "unlimited" ? Infinity : Number(hard);
}
