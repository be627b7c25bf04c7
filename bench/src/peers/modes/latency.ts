import type { Mode } from "../mode.ts";
import { syncTimeoutMs } from "../mode.ts";
import { percentile } from "../summary.ts";
import { now, until } from "../time.ts";
import { Updates } from "../updates.ts";

/** Measures the time from sending a change to its reconcile. */
export const latency: Mode = {
  title: ({ objects, options }) =>
    `latency, ${objects} objects cached, ${options.updates} changes at ${options.updatesPerSecond}/s; change sent to reconcile, ms`,
  columns: [
    { measure: "p50Ms", title: "p50", digits: 1 },
    { measure: "p99Ms", title: "p99", digits: 1 },
    { measure: "maxMs", title: "max", digits: 1 },
    { measure: "cpuSeconds", title: "CPU s", digits: 2 },
    { measure: "missed", title: "missed", digits: 0, isPlain: true },
  ],
  async run({ server, options, objects, signal, start, beforeEnd }) {
    await using runtime = start({ work: "reconcile", namespace: "", workers: options.workers });
    await runtime.next("synced", syncTimeoutMs);
    await runtime.quiet(60_000);

    const seen = new Map<number, number>();
    runtime.listen((event) => {
      if (event.event === "reconciled" && !seen.has(event.sequence)) seen.set(event.sequence, event.at);
    });
    const cpu = runtime.threadSeconds();
    const { updates: count, updatesPerSecond: perSecond } = options;
    const updates = new Updates({ api: server.api, objects, perSecond, count, signal });
    await runtime.within(updates.run(), (count / perSecond) * 1000 + 60_000, "responses to all changes");
    const accepted = [...updates.sent].filter(([, { acceptedAt }]) => acceptedAt !== undefined);
    const end = now() + 10e9;
    const isOver = (): boolean => now() > end || accepted.every(([number]) => seen.has(number));
    await until(isOver, { everyMs: 50, timeoutMs: 20_000, signal, what: "the last reconciles" });
    const cpuSeconds = runtime.threadSeconds() - cpu;

    const delays = accepted.flatMap(([number, { sentAt }]) => {
      const at = seen.get(number);
      return at === undefined ? [] : [(at - sentAt) / 1e6];
    });
    if (delays.length === 0) throw new Error(`reported none of ${accepted.length} changes`);
    await beforeEnd(runtime);
    return {
      p50Ms: percentile(delays, 0.5),
      p99Ms: percentile(delays, 0.99),
      maxMs: Math.max(...delays),
      cpuSeconds,
      missed: accepted.length - delays.length,
    };
  },
};
