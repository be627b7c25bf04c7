import { ownRequests, type RequestReport } from "./request-count.ts";

/** What one part of the life of all objects took. */
export interface Stretch {
  readonly what: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly requests: RequestReport;
}

/** What was measured, as a table in Markdown. `each` is what there are many of: `test`. */
export function formatStretches(
  stretches: readonly Stretch[],
  { each, count, peakRssBytes }: { readonly each: string; readonly count: number; readonly peakRssBytes: number },
): string {
  const row = ({ what, seconds, cpuSeconds, rssBytes, requests }: Stretch): string => {
    const own = ownRequests(requests);
    const cells = [seconds.toFixed(1), cpuSeconds.toFixed(2), mb(rssBytes), String(own), (own / count).toFixed(2)];
    return `| ${[what, ...cells, String(requests.repeated.length), kinds(requests)].join(" | ")} |`;
  };
  return [
    `| ${count} ${each}s | s | CPU, s | memory at its end | requests | for each ${each} | sent twice | by kind |`,
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ...stretches.map(row),
    "",
    `The most memory it ever took: ${mb(peakRssBytes)}.`,
  ].join("\n");
}

function kinds({ byKind }: RequestReport): string {
  const sorted = Object.entries(byKind).sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}

/** Megabytes, as they are shown. */
export function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
