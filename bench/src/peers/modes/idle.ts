import type { Mode } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import { pause } from "../time.ts";

/** Longer than any contestant goes on with what its first work has left: collections, memory that goes back. */
const settleMs = 20_000;

/** A whole controller that has nothing to do. */
export const idle: Mode = {
  title: ({ objects, options }) =>
    `idle, a whole controller with ${objects} objects cached, for ${options.idleMs / 1000} s`,
  columns: [
    { measure: "rssMb", title: "RSS MB", digits: 0 },
    { measure: "cpuMsPerMinute", title: "CPU ms per minute", digits: 1 },
  ],
  async run({ options, signal, start, beforeEnd }) {
    await using contestant = start({ work: "reconcile", namespace: "", workers: options.workers });
    await contestant.next("synced", syncTimeoutMs);
    await contestant.quiet(60_000);
    await contestant.within(pause(settleMs, signal), settleMs + 10_000, "pause");
    const cpu = contestant.threadSeconds();
    await contestant.within(pause(options.idleMs, signal), options.idleMs + 10_000, "pause");
    const cpuMs = (contestant.threadSeconds() - cpu) * 1000;
    const { rssBytes } = contestant.usage();
    await beforeEnd(contestant);
    return { rssMb: rssBytes / megabyte, cpuMsPerMinute: (cpuMs * 60_000) / options.idleMs };
  },
};
