import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { resultsName } from "../api/names.ts";
import type { ResultFiles } from "../live/master-poller.ts";
import { type SeriesPoint, seriesCsv } from "../live/run-series.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { type BuildInput, type Desired, metadataFor, nameOf } from "./objects.ts";

const valueBytesMax = 200 * 1_024;
const cutNote = "... truncated: the file is larger than 200 KiB";

/** Statistics of a run that has ended. */
export interface RunResults {
  readonly snapshot: Snapshot;
  /** Undefined when the master does not provide them. */
  readonly files: ResultFiles | undefined;
  /** The statistics over the time of the run. */
  readonly points: readonly SeriesPoint[];
}

/** Builds the ConfigMap with the results of a run. The test owns it, so it outlives the Jobs. */
export function resultsConfigMap(input: BuildInput, { snapshot, files, points }: RunResults): Desired<ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataFor(input, { name: resultsName(nameOf(input.test), input.run), role: "master" }),
    data: resultFiles({ snapshot, files, points }),
  };
}

/** Returns the files by key, each at most 200 KiB. A longer one is cut at the end of a line and says so in its last line. */
export function resultFiles({ snapshot, files, points }: RunResults): Record<string, string> {
  return {
    ...(files !== undefined && {
      "requests.csv": cutAtLine(files.requestsCsv),
      "failures.csv": cutAtLine(files.failuresCsv),
      "exceptions.csv": cutAtLine(files.exceptionsCsv),
    }),
    "summary.json": summary(snapshot),
    ...(points.length > 0 && { "series.csv": cutAtLine(seriesCsv(points)) }),
  };
}

export function cutAtLine(text: string): string {
  // Through bytes, so that lone surrogates become U+FFFD: a ConfigMap holds valid UTF-8 only.
  const bytes = Buffer.from(text);
  if (bytes.length <= valueBytesMax) return bytes.toString();
  const kept = bytes.subarray(0, valueBytesMax - cutNote.length - 1);
  return `${kept.subarray(0, kept.lastIndexOf(10) + 1).toString()}${cutNote}\n`;
}

// One row or error per line, so that a cut leaves complete lines.
function summary({ rows, errors }: Snapshot): string {
  const lines = (list: readonly object[]): string => list.map((each) => JSON.stringify(each)).join(",\n");
  return cutAtLine(`{"stats":[\n${lines(rows)}\n],"errors":[\n${lines(errors)}\n]}\n`);
}
