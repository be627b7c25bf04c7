import type { Row } from "./summary.ts";

/** A table column: measure, title, and number of decimals. */
export interface Column {
  readonly measure: string;
  readonly title: string;
  readonly digits: number;
  /** True to omit the ratio, for counts that are neither better nor worse. */
  readonly isPlain?: boolean;
}

/** Formats the medians of all runtimes with their ratios to the reference as an aligned Markdown table. */
export function formatTable(columns: readonly Column[], rows: readonly Row[]): string {
  const shown = columns.filter(({ measure }) => rows.some((row) => row.measures[measure] !== undefined));
  const header = ["runtime", ...shown.map(({ title }) => title)];
  const body = rows.map((row) => [
    nameOf(row),
    ...shown.map((column) => {
      const summary = row.measures[column.measure];
      if (summary === undefined) return "–";
      const value = summary.median.toFixed(column.digits);
      return column.isPlain === true || summary.ratio === undefined ? value : `${value} (${summary.ratio.toFixed(2)})`;
    }),
  ]);
  const widths = header.map((title, i) => Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(header), rule, ...body.map(line)].join("\n");
}

function nameOf({ runtime, rounds, errors }: Row): string {
  return errors.length === 0 ? runtime : `${runtime} (${errors.length} of ${rounds + errors.length} failed)`;
}
