import { formatTime } from "@homeostat/core";
import type { Load, LoadRow } from "./load.ts";

const parts: readonly (readonly [title: string, part: number])[] = [
  ["50%", 0.5],
  ["66%", 0.66],
  ["75%", 0.75],
  ["80%", 0.8],
  ["90%", 0.9],
  ["95%", 0.95],
  ["98%", 0.98],
  ["99%", 0.99],
  ["99.9%", 0.999],
  ["99.99%", 0.9999],
  ["100%", 1],
];

/** Error message of simulated failures. */
export const errorText = "HTTPError('500 Server Error: Internal Server Error')";

/** Returns the row with the totals. */
export function aggregate(rows: readonly LoadRow[]): LoadRow {
  const requests = rows.reduce((sum, row) => sum + row.requests, 0);
  const bytes = rows.reduce((sum, row) => sum + row.requests * row.contentLength, 0);
  return {
    method: "",
    name: "Aggregated",
    requests,
    failures: rows.reduce((sum, row) => sum + row.failures, 0),
    contentLength: requests === 0 ? 0 : bytes / requests,
  };
}

/** Renders the CSV file of requests in Locust's format. */
export function requestsCsv(load: Load, now: number): string {
  const head = `Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,${parts.map(([title]) => title).join(",")}`;
  const rows = load.rows(now);
  const lines = [...rows, aggregate(rows)].map((row) => {
    const isEmpty = row.requests === 0;
    const { min, average, max } = load.responses;
    const times = isEmpty ? [0, 0, 0, 0] : [load.responseMs(0.5), average, min, max];
    const rates = [row.requests, row.failures].map((count) => count / load.seconds(now));
    const shares = parts.map(([, part]) => (isEmpty ? "N/A" : load.responseMs(part)));
    return [
      row.method,
      quoted(row.name),
      row.requests,
      row.failures,
      ...times,
      row.contentLength,
      ...rates,
      ...shares,
    ].join(",");
  });
  return `${[head, ...lines].join("\n")}\n`;
}

/** Renders the CSV file of failures in Locust's format. */
export function failuresCsv(load: Load, now: number): string {
  const time = formatTime(now);
  const lines = load
    .rows(now)
    .filter(({ failures }) => failures > 0)
    .map(({ method, name, failures }) => [method, quoted(name), quoted(errorText), failures, time, time].join(","));
  return `${["Method,Name,Error,Occurrences,First Seen,Last Seen", ...lines].join("\n")}\n`;
}

/** Renders the summary that Locust prints when it exits. */
export function summaryOf(load: Load, now: number): string {
  const rows = load.rows(now);
  const all = aggregate(rows);
  const line = `--------|${"-".repeat(76)}|-------|-------------|-------|-------|-------|-------|--------|-----------`;
  const shareLine = `--------|${"-".repeat(80)}|--------|------|------|------|------|------|------|------|------|------|------|------`;
  const head = `${"Type".padEnd(8)} ${"Name".padEnd(77)} # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s`;
  const shareHead = `${"Type".padEnd(8)} ${"Name".padEnd(82)} ${parts.map(([title]) => title.padStart(6)).join(" ")} # reqs`;
  const errors = rows.filter(({ failures }) => failures > 0);
  const errorLine = `------------------|${"-".repeat(141)}`;
  return [
    head,
    line,
    ...rows.map((row) => summaryRow(row, load, now)),
    line,
    summaryRow(all, load, now),
    "",
    "Response time percentiles (approximated)",
    shareHead,
    shareLine,
    ...rows.map((row) => shareRow(row, load)),
    shareLine,
    ...(all.requests === 0 ? [] : [shareRow(all, load)]),
    "",
    ...(errors.length === 0
      ? []
      : [
          "Error report",
          `# occurrences      ${"Error".padEnd(100)}`,
          errorLine,
          ...errors.map(
            ({ method, name, failures }) =>
              `${String(failures).padEnd(18)} ${`${method} ${name}: ${errorText}`.padEnd(100)}`,
          ),
          errorLine,
          "",
        ]),
  ].join("\n");
}

function summaryRow({ method, name, requests, failures }: LoadRow, load: Load, now: number): string {
  const { min, average, max } = load.responses;
  const percent = requests === 0 ? 0 : (failures / requests) * 100;
  const times = (requests === 0 ? [0, 0, 0, 0] : [Math.trunc(average), min, max, load.responseMs(0.5)])
    .map((ms) => String(ms).padStart(7))
    .join(" ");
  const rates = [requests, failures].map((count) => (count / load.seconds(now)).toFixed(2));
  const fails = `${failures}(${percent.toFixed(2)}%)`;
  return `${method.padEnd(8)} ${name.padEnd(74)} ${String(requests).padStart(9)} ${fails.padStart(12)} |${times} |${(rates[0] ?? "").padStart(8)} ${(rates[1] ?? "").padStart(11)}`;
}

function shareRow({ method, name, requests }: LoadRow, load: Load): string {
  const shares = parts.map(([, part]) => String(load.responseMs(part)).padStart(6)).join(" ");
  return `${method.padEnd(8)} ${name.padEnd(82)} ${shares} ${String(requests).padStart(6)}`;
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
