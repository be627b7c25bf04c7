import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { usageOf } from "../peers/proc.ts";
import { RawApi } from "../peers/raw-api.ts";
import type { BenchContext } from "../harness/interruptible.ts";
import { now, pause } from "../peers/time.ts";
import { widgetName } from "../peers/widget.ts";
import type { EmbeddedOptions } from "./arguments.ts";
import { Connection, requestBytes } from "./connection.ts";
import { createRequest, runLoad, widgetsPath } from "./load.ts";
import { stampOf } from "./stamp-reader.ts";
import type { Subject } from "./subject.ts";
import type { WatcherCommand, WatcherMessage } from "./watchers-process.ts";

const objects = 100;
const lanes = 16;
const tickMs = 4;

/** Watches the same objects many times while they are written, and measures the delay from each write to each watcher. */
export async function measureFanOut(
  subject: Subject,
  { watchers, writesPerSecond, writeMs }: EmbeddedOptions,
  { signal }: BenchContext,
): Promise<Record<string, number>> {
  const { access } = subject;
  await runLoad(access, { to: objects, connections: lanes, status: 201, request: createRequest });
  const watcherProcess = fork(fileURLToPath(new URL("./watchers-process.js", import.meta.url)));
  try {
    const version = await currentVersion(access);
    const path = `${widgetsPath}?watch=1&resourceVersion=${version}`;
    await send(watcherProcess, { do: "watch", access: copyOf(access), path, watchers }, "watching");
    // Warm-up, as for creates and gets: servers are slower with their first requests.
    const cold = await writeSteadily(access, { writesPerSecond, writeMs: writeMs / 4, signal });
    await send(watcherProcess, { do: "expect", events: cold.count }, "done");
    const { pid = 0 } = watcherProcess;
    const before = { server: subject.cpuSeconds(), watchers: usageOf(pid).cpuSeconds };
    const written = await writeSteadily(access, { writesPerSecond, writeMs, signal });
    const done = await send(watcherProcess, { do: "expect", events: written.count }, "done");
    const tookSeconds = (done.lastNs - written.firstSentNs) / 1e9;
    return {
      writesPerSecond: written.perSecond,
      lagP50Ms: done.lagMs.p50,
      lagP99Ms: done.lagMs.p99,
      lagMaxMs: done.lagMs.max,
      catchUpMs: Math.max(0, (done.lastNs - written.lastSentNs) / 1e6),
      eventsPerSecond: done.events / tookSeconds,
      serverCores: (subject.cpuSeconds() - before.server) / tookSeconds,
      watchersCores: (usageOf(pid).cpuSeconds - before.watchers) / tookSeconds,
    };
  } finally {
    watcherProcess.kill("SIGKILL");
  }
}

function copyOf({ server, ca, cert, key }: Subject["access"]): Subject["access"] {
  return { server, ca, cert, key };
}

async function currentVersion(access: Subject["access"]): Promise<string> {
  using api = new RawApi(access, 1);
  const { text } = await api.must({ path: `${widgetsPath}?limit=1` });
  const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
  return metadata.resourceVersion;
}

interface WrittenSteadily {
  readonly count: number;
  readonly perSecond: number;
  readonly firstSentNs: number;
  readonly lastSentNs: number;
}

/** Writes at a steady rate, independently of responses to earlier writes, as long as a connection is free. */
async function writeSteadily(
  access: Subject["access"],
  { writesPerSecond, writeMs, signal }: { writesPerSecond: number; writeMs: number; signal: AbortSignal },
): Promise<WrittenSteadily> {
  const open = await Promise.all(Array.from({ length: lanes }, () => Connection.open(access)));
  const total = Math.round((writesPerSecond * writeMs) / 1000);
  const firstSentNs = now();
  let sent = 0;
  let lastSentNs = firstSentNs;
  let tick = Promise.resolve();
  const lane = async (connection: Connection): Promise<void> => {
    while (sent < total) {
      const due = ((now() - firstSentNs) / 1e9) * writesPerSecond;
      if (sent >= due) {
        // All connections wait for the same tick.
        const seen = tick;
        await seen;
        if (seen === tick) await (tick = pause(tickMs, signal));
        continue;
      }
      const n = sent++;
      lastSentNs = now();
      const body = JSON.stringify({ spec: { description: stampOf(lastSentNs) } });
      const { status } = await connection.send(
        requestBytes("PATCH", `${widgetsPath}/${widgetName(n % objects)}`, body),
      );
      if (status !== 200) throw new Error(`a write returned status ${status}`);
    }
  };
  try {
    await Promise.all(open.map(lane));
    return { count: total, perSecond: (total / (now() - firstSentNs)) * 1e9, firstSentNs, lastSentNs };
  } finally {
    for (const connection of open) connection[Symbol.dispose]();
  }
}

const replyTimeoutMs = 120_000;

async function send<K extends WatcherMessage["is"]>(
  watcherProcess: ReturnType<typeof fork>,
  order: WatcherCommand,
  expected: K,
): Promise<Extract<WatcherMessage, { is: K }>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the watcher process did not report "${expected}" in time`)),
      replyTimeoutMs,
    );
    watcherProcess.once("exit", () => reject(new Error("a watch was closed")));
    const take = (message: WatcherMessage): void => {
      if (!isMessage(message, expected)) return;
      clearTimeout(timer);
      watcherProcess.off("message", take);
      resolve(message);
    };
    watcherProcess.on("message", take);
    watcherProcess.send(order);
  });
}

function isMessage<K extends WatcherMessage["is"]>(
  message: WatcherMessage,
  expected: K,
): message is Extract<WatcherMessage, { is: K }> {
  return message.is === expected;
}
