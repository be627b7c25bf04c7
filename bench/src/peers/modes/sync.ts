import type { Mode } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import { pause } from "../time.ts";
import { namespaces } from "../widget.ts";

/** Measures the time from process start to a complete cache, and the memory afterwards. */
export const sync: Mode = {
  title: ({ objects, options }) =>
    `sync, ${objects} objects; memory ${options.settleMs / 1000} s later, after a garbage collection if possible`,
  columns: [
    { measure: "wallSeconds", title: "start to synced, s", digits: 2 },
    { measure: "cpuSeconds", title: "CPU s", digits: 2 },
    { measure: "serverCpuSeconds", title: "server CPU s", digits: 2 },
    { measure: "peakMb", title: "peak RSS MB", digits: 0 },
    { measure: "settledMb", title: "settled RSS MB", digits: 0 },
    { measure: "bytesPerObject", title: "bytes/object", digits: 0 },
  ],
  async run({ server, options, objects, emptyRss, signal, start, beforeEnd }) {
    const serverCpu = server.apiserver.cpuSeconds;
    const namespace = objects === 0 ? namespaces.empty : "";
    await using runtime = start({ work: "cache", namespace, workers: options.workers });
    const synced = await runtime.next("synced", syncTimeoutMs);
    const { cpuSeconds } = runtime.usage();
    const serverCpuSeconds = server.apiserver.cpuSeconds - serverCpu;
    if (synced.objects !== objects) throw new Error(`cached ${synced.objects} objects instead of ${objects}`);
    await runtime.within(pause(options.settleMs, signal), options.settleMs + 10_000, "pause");
    const collected = runtime.next("collected", 60_000);
    runtime.sendCommand("collect");
    await collected;
    await pause(200, signal);
    const { rssBytes, peakRssBytes } = runtime.usage();
    await beforeEnd(runtime);
    return {
      wallSeconds: (synced.at - runtime.startedAt) / 1e9,
      cpuSeconds,
      serverCpuSeconds,
      peakMb: peakRssBytes / megabyte,
      settledMb: rssBytes / megabyte,
      ...(emptyRss === undefined || objects === 0 ? {} : { bytesPerObject: (rssBytes - emptyRss) / objects }),
    };
  },
};
