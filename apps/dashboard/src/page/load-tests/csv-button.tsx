import type { JSX } from "preact";
import { type NamedRun, runsCsv } from "../../present/load-charts.ts";

/** Downloads the points of runs as a CSV file. The page has the data, so nothing is requested. */
export function CsvButton({ runs }: { readonly runs: readonly NamedRun[] }): JSX.Element {
  const download = (): void => {
    const address = URL.createObjectURL(new Blob([runsCsv(runs)], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${runs.map(({ name, run }) => `${name}-run-${run}`).join("-")}.csv`;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" onClick={download} disabled={runs.every(({ points }) => points.length === 0)}>
      Download CSV
    </button>
  );
}
