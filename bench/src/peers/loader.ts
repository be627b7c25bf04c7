import type { RawApi } from "./raw-api.ts";
import { group, newWidget } from "./widget.ts";

/** What to load. */
export interface Load {
  readonly api: RawApi;
  readonly namespace: string;
  /** From this number, up to and without that one. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
  readonly connections?: number;
  /** Told now and then how many are there. */
  readonly report?: (done: number) => void;
}

/** Creates Widgets over many connections at once. */
export async function loadWidgets({ api, namespace, from, to, signal, connections = 24, report }: Load): Promise<void> {
  const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
  let next = from;
  let done = from;
  let reported = performance.now();
  const work = async (): Promise<void> => {
    while (next < to) {
      const n = next;
      next += 1;
      await api.must({ method: "POST", path, body: JSON.stringify(newWidget(n, namespace)) }, signal);
      done += 1;
      if (performance.now() - reported > 5000) {
        reported = performance.now();
        report?.(done);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, to - from) }, work));
}
