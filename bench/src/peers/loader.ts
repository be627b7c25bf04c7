import type { RawApi } from "./raw-api.ts";
import { group, newWidget } from "./widget.ts";

/** Options of {@link loadWidgets}. */
export interface Load {
  readonly api: RawApi;
  readonly namespace: string;
  /** Range of object numbers: `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
  readonly connections?: number;
  /** Called now and then with the number of created objects. */
  readonly report?: (done: number) => void;
}

/** Creates Widgets over many parallel connections. */
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
