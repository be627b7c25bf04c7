import type { BenchContext } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";
import { widgetName } from "../peers/widget.ts";
import type { EmbeddedOptions, PartName } from "./arguments.ts";
import { requestBytes } from "./connection.ts";
import { measureFanOut } from "./fan-out.ts";
import { createRequest, prepare, runLoad, widgetsPath } from "./load.ts";
import type { Subject } from "./subject.ts";

/** Measures one part on a newly started server. Returns values by the names used in the table. */
export type Part = (
  subject: Subject,
  options: EmbeddedOptions,
  context: BenchContext,
) => Promise<Record<string, number>>;

/** Number of list requests per measurement. */
const lists = 12;
const pageSize = 500;
/** Idle time before memory is read, in which V8 releases free memory. */
const settleMs = 30_000;

/** All parts by name. */
export const parts: Readonly<Record<PartName, Part>> = {
  start: async ({ startMs }) => ({ startMs }),

  async throughput({ access }, { objects, connections }, context) {
    await prepare(access, context);
    const load = { connections, to: objects };
    // Servers are slower with their first requests, so the first quarter is not counted.
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

  async "fan-out"(subject, options, context) {
    await prepare(subject.access, context);
    return measureFanOut(subject, options, context);
  },

  async memory(subject, { stored, connections }, context) {
    const { access } = subject;
    await prepare(access, context);
    const emptyMb = subject.rssBytes() / 1e6;
    await runLoad(access, { connections, to: stored, status: 201, request: createRequest });
    await pause(settleMs, context.signal);
    return { emptyMb, settledMb: subject.rssBytes() / 1e6, peakMb: subject.peakRssBytes() / 1e6 };
  },
};
