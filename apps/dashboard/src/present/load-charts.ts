import {
  type LoadPoint,
  type PointColumn,
  pointColumns,
  type RunTotals,
  type ThresholdView,
} from "../api/load-tests.ts";
import { formatRunRef } from "./run-refs.ts";

const columnLabels: Readonly<Record<PointColumn, string>> = {
  at: "Time",
  users: "Users",
  requestsPerSecond: "Requests per second",
  failuresPerSecond: "Failures per second",
  failPercent: "Failed since the start",
  p50: "p50",
  p95: "p95",
  p99: "p99 since the start",
  requests: "Requests",
  failures: "Failed requests",
};

/** A chart of load tests. */
export interface LoadChart {
  readonly title: string;
  /** Unit of its values; empty for plain numbers. */
  readonly unit: string;
  readonly columns: readonly PointColumn[];
  /** Metrics of thresholds that are drawn as lines, with the factor from their unit to that of the chart. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Charts of a run. */
export const loadCharts: readonly LoadChart[] = [
  { title: "Users", unit: "", columns: ["users"], metrics: {} },
  { title: "Requests per second", unit: "", columns: ["requestsPerSecond"], metrics: { requestsPerSecond: 1 } },
  { title: "Failures per second", unit: "", columns: ["failuresPerSecond"], metrics: { failuresPerSecond: 1 } },
  { title: "Failed requests", unit: "%", columns: ["failPercent"], metrics: { failRatio: 100 } },
  {
    title: "Response times",
    unit: "ms",
    columns: ["p50", "p95", "p99"],
    metrics: {
      medianResponseTime: 1,
      averageResponseTime: 1,
      p95ResponseTime: 1,
      p99ResponseTime: 1,
      maxResponseTime: 1,
    },
  },
];

/** Charts of a comparison: one value each, with a line for each run. */
export const comparisonCharts: readonly LoadChart[] = loadCharts.flatMap((chart) =>
  chart.columns.map((column) => ({
    ...chart,
    title: chart.columns.length === 1 ? chart.title : `${chart.title}: ${columnLabels[column]}`,
    columns: [column],
    metrics: {},
  })),
);

/** Returns the name of a value for people. */
export function columnLabel(column: PointColumn): string {
  return columnLabels[column];
}

/** A horizontal line of a chart. */
export interface LimitLine {
  readonly label: string;
  readonly value: number;
}

/** Returns the limits of thresholds that a chart shows. Limits of single requests are not drawn, because the lines of the chart are those of all requests. */
export function limitLines({ metrics }: LoadChart, thresholds: readonly ThresholdView[]): LimitLine[] {
  return thresholds.flatMap(({ metric, name, min, max }) => {
    const factor = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
    if (factor === undefined || name !== "Aggregated") return [];
    const line = (word: string, value: number | undefined): LimitLine[] =>
      value === undefined
        ? []
        : [{ label: `${metric} ${word} ${formatNumber(value * factor)}`, value: value * factor }];
    return [...line("min", min), ...line("max", max)];
  });
}

/** Data of a chart: common positions on the time axis in seconds, and the values of each line. */
export interface ChartData {
  readonly x: readonly number[];
  readonly lines: readonly (readonly (number | null)[])[];
}

/** Returns the values of one run over the time of day. */
export function runData(points: readonly LoadPoint[], columns: readonly PointColumn[]): ChartData {
  const positions = columns.map((column) => pointColumns.indexOf(column));
  return {
    x: points.map((point) => (point[0] ?? 0) / 1_000),
    lines: positions.map((position) => points.map((point) => point[position] ?? null)),
  };
}

/** Returns one value of several runs over the time since the start of each. */
export function comparedData(runs: readonly (readonly LoadPoint[])[], column: PointColumn): ChartData {
  const position = pointColumns.indexOf(column);
  const series = runs.map((points) => {
    const start = points[0]?.[0] ?? 0;
    return new Map(
      points.map((point) => [Math.round(((point[0] ?? 0) - start) / 100) / 10, point[position] ?? null] as const),
    );
  });
  const x = [...new Set(series.flatMap((one) => [...one.keys()]))].toSorted((one, other) => one - other);
  return { x, lines: series.map((one) => x.map((at) => one.get(at) ?? null)) };
}

/** Returns the latest and the largest value of a line. */
export function extremes(line: readonly (number | null)[]): {
  readonly latest: number | undefined;
  readonly largest: number | undefined;
} {
  let latest: number | undefined;
  let largest: number | undefined;
  for (const value of line) {
    if (value === null) continue;
    latest = value;
    if (largest === undefined || value > largest) largest = value;
  }
  return { latest, largest };
}

/** Returns the description of a chart for people who cannot see it. */
export function describeChart(
  { title, unit }: Pick<LoadChart, "title" | "unit">,
  {
    lines,
    labels,
    limits,
  }: Pick<ChartData, "lines"> & {
    readonly labels: readonly string[];
    readonly limits: readonly LimitLine[];
  },
): string {
  const texts = lines.map((line, index) => {
    const { latest, largest } = extremes(line);
    const value = (number: number | undefined): string => formatValue(number, unit);
    return `${labels[index] ?? ""}: latest ${value(latest)}, largest ${value(largest)}`;
  });
  const limitTexts = limits.map(({ label }) => `threshold ${label}`);
  return `${title}. ${[...texts, ...limitTexts].join("; ")}.`;
}

/** Returns a number with at most two decimals, fewer if it is large; `-` for a missing one. */
export function formatNumber(value: number | undefined | null): string {
  if (value === undefined || value === null) return "-";
  return numbers(Math.abs(value) >= 100 ? 0 : 2).format(value);
}

/** Returns a number with its unit. */
export function formatValue(value: number | undefined | null, unit: string): string {
  const text = formatNumber(value);
  return unit === "" || text === "-" ? text : `${text} ${unit}`;
}

const numbers = (digits: number): Intl.NumberFormat => new Intl.NumberFormat("en", { maximumFractionDigits: digits });

/** Returns the totals of a run, with the values of its points for those that the status lacks: it has few about earlier runs, and none during a run. */
export function knownTotals(totals: RunTotals, points: readonly LoadPoint[]): RunTotals {
  const last = points.at(-1);
  const of = (column: PointColumn): number | undefined => last?.[pointColumns.indexOf(column)] ?? undefined;
  const failPercent = of("failPercent");
  const users = points.map((point) => point[pointColumns.indexOf("users")] ?? 0);
  return {
    ...totals,
    requests: totals.requests ?? of("requests"),
    failures: totals.failures ?? of("failures"),
    failRatio: totals.failRatio ?? (failPercent === undefined ? undefined : failPercent / 100),
    p99: totals.p99 ?? of("p99"),
    peakUsers: totals.peakUsers ?? (users.length === 0 ? undefined : users.reduce((most, one) => Math.max(most, one))),
  };
}

/** Rows of the table of totals. */
export const totalsRows: readonly { readonly label: string; readonly text: (totals: RunTotals) => string }[] = [
  { label: "Requests", text: ({ requests }) => formatNumber(requests) },
  { label: "Failed requests", text: ({ failures }) => formatNumber(failures) },
  { label: "Failed", text: ({ failRatio }) => formatValue(failRatio === undefined ? undefined : failRatio * 100, "%") },
  { label: "Requests per second", text: ({ requestsPerSecond }) => formatNumber(requestsPerSecond) },
  { label: "Average response time", text: ({ average }) => formatValue(average, "ms") },
  { label: "p50", text: ({ median }) => formatValue(median, "ms") },
  { label: "p95", text: ({ p95 }) => formatValue(p95, "ms") },
  { label: "p99", text: ({ p99 }) => formatValue(p99, "ms") },
  { label: "Longest response time", text: ({ max }) => formatValue(max, "ms") },
  { label: "Most users", text: ({ peakUsers }) => formatNumber(peakUsers) },
];

/** Points of a run with its test, for a CSV file. */
export interface NamedRun {
  readonly namespace: string;
  readonly name: string;
  readonly run: number;
  readonly points: readonly LoadPoint[];
}

/** Returns the points of runs as CSV, with times in RFC 3339. All cells are numbers, times and names of Kubernetes, so none needs quotes. */
export function runsCsv(runs: readonly NamedRun[]): string {
  const lines = runs.flatMap(({ points, ...ref }) =>
    points.map(([at, ...values]) =>
      [formatRunRef(ref), new Date(at ?? 0).toISOString(), ...values.map((value) => value ?? "")].join(","),
    ),
  );
  return `${[["run", ...pointColumns].join(","), ...lines].join("\r\n")}\r\n`;
}
