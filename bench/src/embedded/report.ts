import { median } from "../harness/measure.ts";
import type { PartName } from "./arguments.ts";

/** Result of one run of one part on one server. */
export interface Sample {
  readonly part: PartName;
  readonly subject: string;
  readonly round: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A row of the table. */
interface Measure {
  readonly name: string;
  readonly title: string;
  readonly digits: number;
  /** True if a lower value is better. */
  readonly isCost: boolean;
}

const measures: Readonly<Record<PartName, readonly Measure[]>> = {
  start: [{ name: "startMs", title: "start to first response, ms", digits: 0, isCost: true }],
  throughput: [
    { name: "createPerSecond", title: "creates per second", digits: 0, isCost: false },
    { name: "getPerSecond", title: "gets per second", digits: 0, isCost: false },
    { name: "listedPerSecond", title: "objects listed per second, all at once", digits: 0, isCost: false },
    { name: "pagedPerSecond", title: "objects listed per second, pages of 500", digits: 0, isCost: false },
  ],
  "fan-out": [
    { name: "writesPerSecond", title: "achieved writes per second", digits: 0, isCost: false },
    { name: "eventsPerSecond", title: "events per second to all watchers", digits: 0, isCost: false },
    { name: "lagP50Ms", title: "write sent to event received, median, ms", digits: 1, isCost: true },
    { name: "lagP99Ms", title: "the same, p99, ms", digits: 1, isCost: true },
    { name: "lagMaxMs", title: "the same, maximum, ms", digits: 1, isCost: true },
    { name: "serverCores", title: "cores used by the servers", digits: 2, isCost: true },
    { name: "catchUpMs", title: "last write sent to last event received, ms", digits: 1, isCost: true },
  ],
  memory: [
    { name: "emptyMb", title: "memory when empty, MB", digits: 0, isCost: true },
    { name: "settledMb", title: "memory with all objects, MB", digits: 0, isCost: true },
    { name: "peakMb", title: "peak memory, MB", digits: 0, isCost: true },
  ],
};

/** Formats the medians of a part as a Markdown table, with the factor by which the embedded server is better. */
export function formatPart(part: PartName, samples: readonly Sample[]): string {
  const of = (subject: string, name: string): number | undefined => {
    const values = samples.flatMap((each) =>
      each.part === part && each.subject === subject ? (each.values[name] ?? []) : [],
    );
    return values.length === 0 ? undefined : median(values);
  };
  const rows = measures[part].map(({ name, title, digits, isCost }) => {
    const [embedded, real] = [of("embedded", name), of("real", name)];
    const times = embedded === undefined || real === undefined ? undefined : isCost ? real / embedded : embedded / real;
    const shown = (value: number | undefined): string => value?.toFixed(digits) ?? "–";
    return `| ${title} | ${shown(embedded)} | ${shown(real)} | ${times === undefined ? "–" : times.toFixed(2)} |`;
  });
  return [
    `| ${part} | embedded | etcd + kube-apiserver | times better |`,
    "| --- | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}
