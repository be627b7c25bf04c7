import type { ResultFiles, Snapshot } from "../live/live-stats.ts";

const bytesMax = 200 * 1_024;
const note = "... cut here: the rest did not fit";

/**
 * What the ConfigMap with the results of a run holds (21.9), by key.
 *
 * Every value is at most 200 KiB. What is longer is cut at the end of a line, and its last line says so.
 */
export function resultFiles(snapshot: Snapshot, files: ResultFiles | undefined): Record<string, string> {
  return {
    ...(files === undefined
      ? {}
      : {
          "requests.csv": cutAtLine(files.requestsCsv),
          "failures.csv": cutAtLine(files.failuresCsv),
          "exceptions.csv": cutAtLine(files.exceptionsCsv),
        }),
    "summary.json": summaryOf(snapshot),
  };
}

/** The beginning of a text, up to 200 KiB of UTF-8 and to the end of a line. */
export function cutAtLine(text: string): string {
  // By way of bytes, so that half characters become what stands for the unreadable: a ConfigMap holds text alone.
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return bytes.toString();
  const kept = bytes.subarray(0, bytesMax - note.length - 1);
  return `${kept.subarray(0, kept.lastIndexOf(10) + 1).toString()}${note}\n`;
}

// Rows and errors one to a line, so that a cut leaves lines that can be read.
function summaryOf({ rows, errors }: Pick<Snapshot, "rows" | "errors">): string {
  const lines = (list: readonly object[]): string => list.map((one) => JSON.stringify(one)).join(",\n");
  return cutAtLine(`{"stats":[\n${lines(rows)}\n],"errors":[\n${lines(errors)}\n]}\n`);
}
