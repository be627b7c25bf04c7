import type { Mode } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import { pause } from "../time.ts";

/** Delay before the measurement, longer than any runtime needs to finish garbage collection and release memory. */
const settleMs = 20_000;

/** Measures a complete controller without work. */
export const idle: Mode = {
  title: ({ objects, options }) =>
    `idle, a complete controller with ${objects} objects cached, for ${options.idleMs / 1000} s`,
  columns: [
    { measure: "rssMb", title: "RSS MB", digits: 0 },
    { measure: "cpuMsPerMinute", title: "CPU ms per minute", digits: 1 },
  ],
  async run({ options, signal, start, beforeEnd }) {
    await using runtime = start({ work: "reconcile", namespace: "", workers: options.workers });
    await runtime.next("synced", syncTimeoutMs);
    await runtime.quiet(60_000);
    await runtime.within(pause(settleMs, signal), settleMs + 10_000, "pause");
    const cpu = runtime.threadSeconds();
    await runtime.within(pause(options.idleMs, signal), options.idleMs + 10_000, "pause");
    const cpuMs = (runtime.threadSeconds() - cpu) * 1000;
    const { rssBytes } = runtime.usage();
    await beforeEnd(runtime);
    return { rssMb: rssBytes / megabyte, cpuMsPerMinute: (cpuMs * 60_000) / options.idleMs };
  },
};
