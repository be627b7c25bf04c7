import { ownRequests, type RequestReport } from "./request-count.ts";

/** Measurements of one phase of the benchmark. */
export interface Phase {
  readonly what: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly requests: RequestReport;
}

/** Formats the phases as a Markdown table. `each` is the singular noun for the custom resources: `test`. */
export function formatPhases(
  phases: readonly Phase[],
  { each, count, peakRssBytes }: { readonly each: string; readonly count: number; readonly peakRssBytes: number },
): string {
  const row = ({ what, seconds, cpuSeconds, rssBytes, requests }: Phase): string => {
    const own = ownRequests(requests);
    const cells = [seconds.toFixed(1), cpuSeconds.toFixed(2), mb(rssBytes), String(own), (own / count).toFixed(2)];
    return `| ${[what, ...cells, String(requests.repeated.length), kinds(requests)].join(" | ")} |`;
  };
  return [
    `| ${count} ${each}s | s | CPU, s | memory at the end | requests | per ${each} | sent twice | by kind |`,
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ...phases.map(row),
    "",
    `Peak memory: ${mb(peakRssBytes)}.`,
  ].join("\n");
}

function kinds({ byKind }: RequestReport): string {
  const sorted = Object.entries(byKind).sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}

/** Formats bytes as megabytes. */
export function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
