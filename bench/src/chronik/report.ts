import { median } from "../harness/measure.ts";
import { mb } from "../operators/phase.ts";
import { ownRequests } from "../operators/audit-log.ts";
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

/** A measured number of an operator. */
interface Row {
  readonly what: string;
  readonly of: (numbers: SubjectNumbers) => number;
  readonly format: (value: number) => string;
}

/** Formats the numbers of all operators as a Markdown table. A ratio is the number of the Chronik operator divided by that of the other. */
export function formatNumbers(subjects: readonly SubjectNumbers[]): string {
  const [own, ...peers] = subjects;
  if (own === undefined) return "";
  const header = ["", own.name, ...peers.flatMap(({ name }) => [name, "ratio"])];
  const lines = rowsOf(own).map(({ what, of, format }) => {
    const cells = peers.flatMap((peer) => [format(of(peer)), ratioText(of(own), of(peer))]);
    return `| ${[what, format(of(own)), ...cells].join(" | ")} |`;
  });
  const dashes = header.slice(1).map(() => "---:");
  return [`| ${header.join(" | ")} |`, `| --- | ${dashes.join(" | ")} |`, ...lines].join("\n");
}

/** Returns the ratio of the first operator to the second for each number that is not 0. */
export function ratiosOf(subjects: readonly SubjectNumbers[]): Record<string, number> {
  const [own, peer] = subjects;
  if (own === undefined || peer === undefined) return {};
  const ratios = rowsOf(own).map(({ what, of }): [string, number] => [
    `${own.name}: ${what}, ratio to ${peer.name}`,
    of(own) / of(peer),
  ]);
  return Object.fromEntries(ratios.filter(([, ratio]) => Number.isFinite(ratio) && ratio > 0));
}

function ratioText(own: number, peer: number): string {
  return peer > 0 ? `${(own / peer).toFixed(2)}×` : "-";
}

function rowsOf({ clusters, growths, memory }: SubjectNumbers): readonly Row[] {
  const perCreation =
    (of: (creation: Creation) => number) =>
    ({ creations }: SubjectNumbers): number =>
      mean(creations.map(of));
  const perReconcile =
    (of: (numbers: SubjectNumbers["unchanged"]["requests"]) => number) =>
    ({ unchanged }: SubjectNumbers): number =>
      of(unchanged.requests) / unchanged.reconciles;
  const one = (value: number): string => value.toFixed(1);
  const two = (value: number): string => value.toFixed(2);
  return [
    {
      what: "requests until a new cluster runs",
      of: perCreation(({ requests }) => ownRequests(requests)),
      format: one,
    },
    {
      what: "requests until the operator is quiet",
      of: perCreation(({ settled }) => ownRequests(settled)),
      format: one,
    },
    { what: "events in addition", of: perCreation(({ settled }) => settled.events), format: one },
    {
      what: "seconds until a new cluster runs, median",
      of: ({ creations }) => median(creations.map(({ seconds }) => seconds)),
      format: two,
    },
    {
      what: "CPU seconds of a new cluster, median",
      of: ({ creations }) => median(creations.map(({ cpuSeconds }) => cpuSeconds)),
      format: two,
    },
    { what: "reads per reconcile without a change", of: perReconcile(({ reads }) => reads), format: one },
    { what: "lists per reconcile without a change", of: perReconcile(({ lists }) => lists), format: one },
    { what: "writes per reconcile without a change", of: perReconcile(({ writes }) => writes), format: one },
    ...growths.map(({ created }, index) => ({
      what: `CPU seconds of each of ${created} clusters at once`,
      of: (numbers: SubjectNumbers): number => (numbers.growths[index]?.cpuSeconds ?? 0) / created,
      format: two,
    })),
    ...memory.flatMap(({ clusters: size }, index) => [
      {
        what: `memory at rest with ${size} clusters`,
        of: (numbers: SubjectNumbers): number => numbers.memory[index]?.rssBytes ?? 0,
        format: mb,
      },
      {
        what: `highest memory in that minute, ${size} clusters`,
        of: (numbers: SubjectNumbers): number => numbers.memory[index]?.maxRssBytes ?? 0,
        format: mb,
      },
    ]),
    { what: "peak memory", of: ({ peakRssBytes }) => peakRssBytes, format: mb },
    {
      what: `share of a core at rest with ${clusters} clusters`,
      of: ({ idle }) => idle.cpuSeconds / idle.seconds,
      format: percent,
    },
    { what: "seconds at rest", of: ({ idle }) => idle.seconds, format: (value) => value.toFixed(0) },
    { what: "reconciles at rest", of: ({ idle }) => idle.reconciles, format: String },
    { what: "writes at rest", of: ({ idle }) => idle.requests.writes, format: String },
    { what: "events at rest", of: ({ idle }) => idle.requests.events, format: String },
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
