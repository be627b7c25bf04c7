import { mb } from "../operators/phase.ts";
import { ownRequests } from "./audit-log.ts";
import type { Creation, SubjectNumbers } from "./measure.ts";

const requestsMax = 60;
const createSecondsMax = 2;
const cpuShareMax = 0.05;
const rssBytesMax: readonly { readonly clusters: number; readonly bytes: number }[] = [
  { clusters: 51, bytes: 100e6 },
  { clusters: 200, bytes: 160e6 },
];

/** Returns a message for each limit that the Chronik operator exceeds. */
export function exceededLimits({ creations, unchanged, memory, idle }: SubjectNumbers): string[] {
  const requests = Math.max(...creations.map(({ settled }) => ownRequests(settled)));
  const seconds = median(creations.map((creation) => creation.seconds));
  const share = idle.cpuSeconds / idle.seconds;
  const { writes, lists } = unchanged.requests;
  const atRest = idle.requests.writes + idle.requests.lists + idle.requests.events;
  return [
    ...(requests > requestsMax ? [`${requests} requests for a new cluster, limit ${requestsMax}`] : []),
    ...(seconds > createSecondsMax
      ? [`${seconds.toFixed(2)} s from creation to Running, limit ${createSecondsMax} s`]
      : []),
    ...(writes + lists > 0
      ? [`reconciles of unchanged clusters sent ${JSON.stringify(unchanged.requests.byKind)}`]
      : []),
    ...(unchanged.reconciles < creations.length ? [`only ${unchanged.reconciles} reconciles were triggered`] : []),
    ...rssBytesMax.flatMap(({ clusters, bytes }) => {
      const found = memory.find((one) => one.clusters === clusters);
      return found !== undefined && found.rssBytes > bytes
        ? [`${mb(found.rssBytes)} at ${clusters} clusters, limit ${mb(bytes)}`]
        : [];
    }),
    ...(share > cpuShareMax
      ? [`${percent(share)} of a core at rest with ${memory.at(-1)?.clusters ?? 0} clusters, limit 5 %`]
      : []),
    ...(atRest > 0 ? [`the idle operator sent ${JSON.stringify(idle.requests.byKind)}`] : []),
  ];
}

/** Formats the numbers of all operators as a Markdown table, with ratios to the Chronik operator. */
export function formatNumbers(subjects: readonly SubjectNumbers[]): string {
  const [own, ...peers] = subjects;
  if (own === undefined) return "";
  const row = (what: string, of: (numbers: SubjectNumbers) => number, format: (value: number) => string): string => {
    const value = of(own);
    const cells = peers.flatMap((peer) => {
      const other = of(peer);
      return [format(other), value > 0 ? `${(other / value).toFixed(2)}×` : "-"];
    });
    return `| ${[what, format(value), ...cells].join(" | ")} |`;
  };
  const perCreation =
    (of: (creation: Creation) => number) =>
    ({ creations }: SubjectNumbers): number =>
      mean(creations.map(of));
  const perReconcile =
    (of: (numbers: SubjectNumbers["unchanged"]["requests"]) => number) =>
    ({ unchanged }: SubjectNumbers): number =>
      of(unchanged.requests) / unchanged.reconciles;
  const one = (value: number): string => value.toFixed(1);
  const header = ["", own.name, ...peers.flatMap(({ name }) => [name, "ratio"])];
  return [
    `| ${header.join(" | ")} |`,
    `| --- | ${header
      .slice(1)
      .map(() => "---:")
      .join(" | ")} |`,
    row(
      "requests until a new cluster runs",
      perCreation(({ requests }) => ownRequests(requests)),
      one,
    ),
    row(
      "requests until the operator is quiet",
      perCreation(({ settled }) => ownRequests(settled)),
      one,
    ),
    row(
      "events of them in addition",
      perCreation(({ settled }) => settled.events),
      one,
    ),
    row(
      "seconds until a new cluster runs, median",
      ({ creations }) => median(creations.map((c) => c.seconds)),
      (s) => s.toFixed(2),
    ),
    row(
      "reads per reconcile without a change",
      perReconcile(({ reads }) => reads),
      one,
    ),
    row(
      "lists per reconcile without a change",
      perReconcile(({ lists }) => lists),
      one,
    ),
    row(
      "writes per reconcile without a change",
      perReconcile(({ writes }) => writes),
      one,
    ),
    ...own.memory.map(({ clusters }, index) =>
      row(`memory at rest, ${clusters} clusters`, ({ memory }) => memory[index]?.rssBytes ?? 0, mb),
    ),
    row("peak memory", ({ peakRssBytes }) => peakRssBytes, mb),
    row(
      `CPU at rest, ${own.clusters} clusters, share of a core`,
      ({ idle }) => idle.cpuSeconds / idle.seconds,
      percent,
    ),
    row("reconciles at rest", ({ idle }) => idle.reconciles, String),
    row("writes at rest", ({ idle }) => idle.requests.writes, String),
  ].join("\n");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
