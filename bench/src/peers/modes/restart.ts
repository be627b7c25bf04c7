import type { Mode, RunContext } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import { now, pause } from "../time.ts";
import { Updates } from "../updates.ts";
import { group, namespaces, widgetName } from "../widget.ts";

const perSecond = 20;

const columns: Mode["columns"] = [
  { measure: "afterReadySeconds", title: "fresh event after readyz, s", digits: 2 },
  { measure: "afterWriteSeconds", title: "after first write, s", digits: 2 },
  { measure: "megabytesSent", title: "MB sent", digits: 2 },
  { measure: "relisted", title: "relisted", digits: 2, isPlain: true },
  { measure: "cpuSeconds", title: "CPU s", digits: 2 },
];

/** Kills and restarts the server, and measures the time until a change made afterwards is reconciled. */
export const restart: Mode = {
  title: ({ objects }) => `restart of the kube-apiserver, ${objects} objects cached, ${perSecond} changes/s`,
  columns,
  run: async (context) => measure(context, async () => undefined),
};

/**
 * The same, but with changes in between that no watch can receive, so that every runtime must list again.
 *
 * Without them, the result depends on chance: the watch cache of the new server starts at its own first list. A watch that has
 * received everything up to then is resumed, while one that is a single event behind gets 410.
 */
export const relist: Mode = {
  title: ({ objects }) => `restart with a relist forced (410), ${objects} objects cached, ${perSecond} changes/s`,
  columns,
  run: async (context) =>
    measure(context, async () => {
      await context.server.apiserver.meanwhile(async (api) => {
        for (let n = 0; n < 20; n += 1) {
          const path = `/apis/${group}/v1/namespaces/${namespaces.cached}/widgets/${widgetName(n % context.objects)}`;
          const body = JSON.stringify({ metadata: { annotations: { meanwhile: String(now()) } } });
          await api.must({ method: "PATCH", path, body }, context.signal);
        }
      });
    }),
};

async function measure(
  { server, options, objects, signal, start, beforeEnd }: RunContext,
  meanwhile: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  await using runtime = start({ work: "reconcile", namespace: "", workers: options.workers });
  await runtime.next("synced", syncTimeoutMs);
  await runtime.quiet(60_000);
  const updates = new Updates({ api: server.api, objects, perSecond, signal });
  const updating = updates.run();
  try {
    await pause(2000, signal);
    await server.apiserver.kill();
    await meanwhile();
    const startedAt = now();
    const cpu = runtime.threadSeconds();
    let freshAt = 0;
    const fresh = new Promise<void>((resolve) => {
      runtime.listen((event) => {
        // The event may arrive before the response to the write, so the time of sending counts.
        if (event.event !== "reconciled" || (updates.sent.get(event.sequence)?.sentAt ?? 0) < startedAt) return;
        if (freshAt === 0) freshAt = event.at;
        resolve();
      });
    });
    await server.apiserver.start();
    const readyAt = now();
    await runtime.within(fresh, 180_000, "a fresh event");
    await pause(2000, signal);
    // Lists are processed while they arrive. The rest may still be in transit and counts too; the server counts a list when it ends.
    updates.stop();
    await updating;
    await runtime.quiet(60_000);
    const cpuSeconds = runtime.threadSeconds() - cpu;
    const counts = await server.counts();
    const accepted = [...updates.sent.values()].flatMap(({ acceptedAt = 0 }) =>
      acceptedAt > startedAt ? [acceptedAt] : [],
    );
    await beforeEnd(runtime);
    return {
      afterReadySeconds: (freshAt - readyAt) / 1e9,
      afterWriteSeconds: (freshAt - Math.min(...accepted)) / 1e9,
      megabytesSent: counts.bytesSent / megabyte,
      // Objects sent, without later changes, divided by all objects: about 1 after a relist, otherwise near 0.
      relisted: Math.max(0, counts.objectsSent - accepted.filter((at) => at > freshAt).length) / objects,
      cpuSeconds,
    };
  } finally {
    updates.stop();
    await updating;
  }
}
