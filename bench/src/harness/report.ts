import type { Measurement } from "./measure.ts";

/** Formats the results of one case as a table. */
export function formatCase(name: string, measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ subject, medianNs, minNs, maxNs, ratio }) => [
    subject,
    formatDuration(medianNs),
    `${formatDuration(minNs)} – ${formatDuration(maxNs)}`,
    `${ratio.toFixed(2)}×`,
  ]);
  const header = [name, "median", "range", "ratio"];
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("   ");
  return [line(header), ...rows.map(line)].map((text) => `  ${text}`).join("\n");
}

/** Formats a duration with three digits and its unit: `4.87 µs`. */
export function formatDuration(ns: number): string {
  const units = [
    ["ns", 1],
    ["µs", 1e3],
    ["ms", 1e6],
    ["s", 1e9],
  ] as const;
  const [unit, size] = units.findLast(([, size]) => ns >= size) ?? units[0];
  return `${(ns / size).toPrecision(3)} ${unit}`;
}
