import type { Surroundings } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";
import { widgetName } from "../peers/widget.ts";
import type { EmbeddedOptions, PartName } from "./arguments.ts";
import { requestBytes } from "./connection.ts";
import { measureFanOut } from "./fan-out.ts";
import { createRequest, prepare, runLoad, widgetsPath } from "./load.ts";
import type { Subject } from "./subject.ts";

/** Measures one thing about a server that has just been started. Values are named as in the table. */
export type Part = (
  subject: Subject,
  options: EmbeddedOptions,
  surroundings: Surroundings,
) => Promise<Record<string, number>>;

/** How often a list of everything, or in pages, is asked for. */
const lists = 12;
const pageSize = 500;
/** The engine gives back what is free when nothing has been asked of it for a while. */
const settleMs = 30_000;

/** Everything that can be measured. */
export const parts: Readonly<Record<PartName, Part>> = {
  start: async ({ startMs }) => ({ startMs }),

  async throughput({ access }, { objects, connections }, surroundings) {
    await prepare(access, surroundings);
    const load = { connections, to: objects };
    // Neither server is as quick with its first requests as later; the first quarter does not count.
    const cold = Math.floor(objects / 4);
    await runLoad(access, { ...load, to: cold, status: 201, request: createRequest });
    const created = await runLoad(access, { ...load, from: cold, status: 201, request: createRequest });
    const get = (n: number): Uint8Array => requestBytes("GET", `${widgetsPath}/${widgetName(n)}`);
    await runLoad(access, { ...load, to: cold, status: 200, request: get });
    const got = await runLoad(access, { ...load, status: 200, request: get });
    const list = (query: string) => async (): Promise<number> => {
      const request = requestBytes("GET", `${widgetsPath}?${query}`);
      const few = { connections: Math.min(4, connections), status: 200, request: () => request };
      await runLoad(access, { ...few, to: 4 });
      return (await runLoad(access, { ...few, to: lists })).perSecond;
    };
    const wholePerSecond = await list("resourceVersion=0")();
    const pagePerSecond = await list(`limit=${pageSize}`)();
    return {
      createPerSecond: created.perSecond,
      getPerSecond: got.perSecond,
      listedPerSecond: wholePerSecond * objects,
      pagedPerSecond: pagePerSecond * Math.min(pageSize, objects),
    };
  },

  async "fan-out"(subject, options, surroundings) {
    await prepare(subject.access, surroundings);
    return measureFanOut(subject, options, surroundings);
  },

  async memory(subject, { stored, connections }, surroundings) {
    const { access } = subject;
    await prepare(access, surroundings);
    const emptyMb = subject.rssBytes() / 1e6;
    await runLoad(access, { connections, to: stored, status: 201, request: createRequest });
    await pause(settleMs, surroundings.signal);
    return { emptyMb, settledMb: subject.rssBytes() / 1e6, peakMb: subject.peakRssBytes() / 1e6 };
  },
};
