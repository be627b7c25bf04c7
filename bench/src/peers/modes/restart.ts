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

/** The server dies and comes back: how long until a change made after that is reconciled. */
export const restart: Mode = {
  title: ({ objects }) => `restart of the kube-apiserver, ${objects} objects cached, ${perSecond} changes/s`,
  columns,
  run: async (context) => measure(context, async () => undefined),
};

/**
 * The same, but something has changed meanwhile that no watch can be told of, so that all must list again.
 *
 * Otherwise it is chance: the new server's memory begins with its own first list, and a watch that knows everything up to
 * then goes on, while one that is a single event behind is told 410.
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
  await using contestant = start({ work: "reconcile", namespace: "", workers: options.workers });
  await contestant.next("synced", syncTimeoutMs);
  await contestant.quiet(60_000);
  const updates = new Updates({ api: server.api, objects, perSecond, signal });
  const updating = updates.run();
  try {
    await pause(2000, signal);
    await server.apiserver.kill();
    await meanwhile();
    const startedAt = now();
    const cpu = contestant.threadSeconds();
    let freshAt = 0;
    const fresh = new Promise<void>((resolve) => {
      contestant.listen((event) => {
        // It may be told of before its writer has the answer, hence by when it was sent.
        if (event.event !== "reconciled" || (updates.sent.get(event.sequence)?.sentAt ?? 0) < startedAt) return;
        if (freshAt === 0) freshAt = event.at;
        resolve();
      });
    });
    await server.apiserver.start();
    const readyAt = now();
    await contestant.within(fresh, 180_000, "a fresh event");
    await pause(2000, signal);
    // A list is read as it arrives: the rest of it may still be on its way, and counts as well. The server counts it at its end.
    updates.stop();
    await updating;
    await contestant.quiet(60_000);
    const cpuSeconds = contestant.threadSeconds() - cpu;
    const counts = await server.counts();
    const accepted = [...updates.sent.values()].flatMap(({ acceptedAt = 0 }) =>
      acceptedAt > startedAt ? [acceptedAt] : [],
    );
    await beforeEnd(contestant);
    return {
      afterReadySeconds: (freshAt - readyAt) / 1e9,
      afterWriteSeconds: (freshAt - Math.min(...accepted)) / 1e9,
      megabytesSent: counts.bytesSent / megabyte,
      // Objects that were sent, without the changes made since, as a part of all: about 1 after a relist, else near 0.
      relisted: Math.max(0, counts.objectsSent - accepted.filter((at) => at > freshAt).length) / objects,
      cpuSeconds,
    };
  } finally {
    updates.stop();
    await updating;
  }
}
