import { goalTable } from "../harness/goals.ts";
import { machineNote, type RecordedMachine, recordedPage } from "../harness/recorded-page.ts";
import { goalsOf, names, transferKinds, type TunnelResults } from "./goals.ts";
import type { ByName } from "./measure.ts";

/** The page that shows the results. */
const page = recordedPage("docs/reference/tunnel-performance.md", "npm run bench -- tunnel --record");

/** A run with its circumstances. */
export interface RecordedRun extends RecordedMachine {
  readonly results: TunnelResults;
}

/** Writes a run to the page. */
export function saveRun(run: RecordedRun): void {
  page.save(generated(run));
}

/** Replaces the generated part of the page. */
export function withResults(text: string, run: RecordedRun): string {
  return page.replace(text, generated(run));
}

/** Returns the tables of a run, as Markdown. */
export function formatResults(results: TunnelResults): string {
  const { transfers, far, small, stalled, attached } = results;
  const tables = [
    goalTable(goalsOf(results)),
    ...transferKinds.map(({ key, title }) =>
      table(title, transfers?.[key].cpuPerGb, [
        ["CPU s per GB", 2, transfers?.[key].cpuPerGb],
        ["yamux = 1", 2, toYamux(transfers?.[key].cpuPerGb)],
        ["MB/s", 0, transfers?.[key].speed],
      ]),
    ),
    table("1 stream with a round trip of 40 ms", far?.speed, [
      ["MB/s", 0, far?.speed],
      ["CPU s per GB", 2, far?.cpuPerGb],
    ]),
    table("Requests and responses of 1 KiB, one after the other", small?.p50, [
      ["p50 µs", 0, small?.p50],
      ["p99 µs", 0, small?.p99],
      ["CPU µs per request", 0, small?.cpu],
    ]),
    table("99 streams beside a stalled one, to without", stalled?.speed, [
      ["speed", 2, stalled?.speed],
      ["bytes per CPU time", 2, stalled?.cpu],
    ]),
    attached === undefined
      ? ""
      : `Memory of the tunnel server: ${attached.emptyMib.toFixed(0)} MiB without tunnels, ${attached.allMib.toFixed(0)} MiB with ` +
        `${attached.tunnels.toLocaleString("en")} attached machines at rest, at most ${attached.peakMib.toFixed(0)} MiB while they attach. The memory per tunnel includes its LocalWorkload in the cache.`,
  ];
  return tables.filter((each) => each !== "").join("\n\n");
}

function generated(run: RecordedRun): string {
  return `${machineNote(run, "the load, the target and all tunnels")}\n\n${formatResults(run.results)}`;
}

type Column = readonly [title: string, digits: number, values: ByName | undefined];

function table(title: string, first: ByName | undefined, columns: readonly Column[]): string {
  if (first === undefined) return "";
  const rows = Object.keys(first).map((name) => {
    const cells = columns.map(([, digits, values]) => values?.[name]?.toFixed(digits) ?? "");
    return `| ${[name, ...cells].join(" | ")} |`;
  });
  return [
    `| ${[title, ...columns.map(([head]) => head)].join(" | ")} |`,
    `| --- |${columns.map(() => " ---: |").join("")}`,
    ...rows,
  ].join("\n");
}

function toYamux(values: ByName | undefined): ByName | undefined {
  const yamux = values?.[names.yamux];
  if (values === undefined || yamux === undefined) return undefined;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value / yamux]));
}
