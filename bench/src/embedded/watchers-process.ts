// Runs many watches in a separate process, so that reading them does not slow down the writer. Started by `fan-out.ts`.

import type { TLSSocket } from "node:tls";
import type { ApiAccess } from "@homeostat/kube";
import { now } from "../peers/time.ts";
import { openSocket, requestBytes } from "./connection.ts";
import { StampReader } from "./stamp-reader.ts";

/** Command to this process. */
export type WatcherCommand =
  | { readonly do: "watch"; readonly access: ApiAccess; readonly path: string; readonly watchers: number }
  /** Sets the number of events that each watcher must receive before `done` is reported. The counts start at zero again. */
  | { readonly do: "expect"; readonly events: number };

/** Message from this process. */
export type WatcherMessage =
  | { readonly is: "watching" }
  | {
      readonly is: "done";
      /** Delay of every event to every watcher, from just before the write was sent to its arrival, in milliseconds. */
      readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
      /** Time when the last event reached the last watcher. */
      readonly lastNs: number;
      readonly events: number;
    };

const lags: number[] = [];
const counts: number[] = [];
let expected = Infinity;
let lastNs = 0;

process.on("message", (order: WatcherCommand) => {
  if (order.do === "watch") void watch(order);
  else {
    expected = order.events;
    check();
  }
});

async function watch({ access, path, watchers }: Extract<WatcherCommand, { do: "watch" }>): Promise<void> {
  const request = requestBytes("GET", path);
  for (let n = 0; n < watchers; n += 1) {
    const socket = await openSocket(access);
    counts.push(0);
    readEvents(socket, n);
    const begun = new Promise((resolve) => socket.once("data", resolve));
    socket.write(request);
    await begun;
  }
  report({ is: "watching" });
}

function readEvents(socket: TLSSocket, n: number): void {
  const reader = new StampReader();
  socket.on("data", (piece: Buffer) => {
    const arrived = now();
    for (const stamp of reader.take(piece)) {
      lags.push((arrived - stamp) / 1e6);
      counts[n] = (counts[n] ?? 0) + 1;
      lastNs = arrived;
    }
    check();
  });
  socket.on("close", () => process.exit(1));
}

function check(): void {
  if (lags.length < expected * counts.length || counts.some((count) => count < expected)) return;
  expected = Infinity;
  lags.sort((a, b) => a - b);
  const at = (part: number): number => lags[Math.ceil(part * lags.length) - 1] ?? Number.NaN;
  const events = lags.length;
  report({ is: "done", lagMs: { p50: at(0.5), p99: at(0.99), max: at(1) }, lastNs, events });
  lags.length = 0;
  counts.fill(0);
}

function report(message: WatcherMessage): void {
  process.send?.(message);
}
