import type { Mode } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import { pause } from "../time.ts";
import { namespaces } from "../widget.ts";

/** From process start until the cache has everything, and what it takes then. */
export const sync: Mode = {
  title: ({ objects, options }) =>
    `sync, ${objects} objects; memory ${options.settleMs / 1000} s later, garbage collected where that can be asked for`,
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
    await using contestant = start({ work: "cache", namespace, workers: options.workers });
    const synced = await contestant.next("synced", syncTimeoutMs);
    const { cpuSeconds } = contestant.usage();
    const serverCpuSeconds = server.apiserver.cpuSeconds - serverCpu;
    if (synced.objects !== objects) throw new Error(`has ${synced.objects} objects in its cache, not ${objects}`);
    await contestant.within(pause(options.settleMs, signal), options.settleMs + 10_000, "pause");
    const collected = contestant.next("collected", 60_000);
    contestant.tell("collect");
    await collected;
    await pause(200, signal);
    const { rssBytes, peakRssBytes } = contestant.usage();
    await beforeEnd(contestant);
    return {
      wallSeconds: (synced.at - contestant.startedAt) / 1e9,
      cpuSeconds,
      serverCpuSeconds,
      peakMb: peakRssBytes / megabyte,
      settledMb: rssBytes / megabyte,
      ...(emptyRss === undefined || objects === 0 ? {} : { bytesPerObject: (rssBytes - emptyRss) / objects }),
    };
  },
};
