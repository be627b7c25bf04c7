import { median } from "../harness/measure.ts";
import type { PartName } from "./arguments.ts";

/** What one run of one part on one server gave. */
export interface Sample {
  readonly part: PartName;
  readonly subject: string;
  readonly round: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A line of the table. */
interface Measure {
  readonly name: string;
  readonly title: string;
  readonly digits: number;
  /** Whether less is better. */
  readonly isCost: boolean;
}

const measures: Readonly<Record<PartName, readonly Measure[]>> = {
  start: [{ name: "startMs", title: "start to first answer, ms", digits: 0, isCost: true }],
  throughput: [
    { name: "createPerSecond", title: "creates per second", digits: 0, isCost: false },
    { name: "getPerSecond", title: "gets per second", digits: 0, isCost: false },
    { name: "listedPerSecond", title: "objects listed per second, all at once", digits: 0, isCost: false },
    { name: "pagedPerSecond", title: "objects listed per second, pages of 500", digits: 0, isCost: false },
  ],
  "fan-out": [
    { name: "writesPerSecond", title: "writes per second that were made", digits: 0, isCost: false },
    { name: "eventsPerSecond", title: "events per second to all watchers", digits: 0, isCost: false },
    { name: "lagP50Ms", title: "write sent to event seen, median, ms", digits: 1, isCost: true },
    { name: "lagP99Ms", title: "the same, 99 of 100, ms", digits: 1, isCost: true },
    { name: "lagMaxMs", title: "the same, the longest, ms", digits: 1, isCost: true },
    { name: "serverCores", title: "cores that the servers used", digits: 2, isCost: true },
    { name: "catchUpMs", title: "last write sent to last event seen, ms", digits: 1, isCost: true },
  ],
  memory: [
    { name: "emptyMb", title: "memory when empty, MB", digits: 0, isCost: true },
    { name: "settledMb", title: "memory with all objects, MB", digits: 0, isCost: true },
    { name: "peakMb", title: "the most it took meanwhile, MB", digits: 0, isCost: true },
  ],
};

/** The medians of a part with how many times better the embedded server is, as a table in Markdown. */
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
