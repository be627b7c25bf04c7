import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { resultsName } from "../api/names.ts";
import type { ResultFiles } from "../live/master-poller.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { type BuildInput, type Desired, metadataFor, nameOf } from "./objects.ts";

const valueBytesMax = 200 * 1_024;
const cutNote = "... truncated: the file is larger than 200 KiB";

/** Builds the ConfigMap with the results of a run. The test owns it, so it outlives the Jobs. */
export function resultsConfigMap(
  input: BuildInput,
  { snapshot, files }: { readonly snapshot: Snapshot; readonly files: ResultFiles | undefined },
): Desired<ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataFor(input, { name: resultsName(nameOf(input.test), input.run), role: "master" }),
    data: resultFiles(snapshot, files),
  };
}

/** Returns the files by key, each at most 200 KiB. A longer one is cut at the end of a line and says so in its last line. */
export function resultFiles(snapshot: Snapshot, files: ResultFiles | undefined): Record<string, string> {
  return {
    ...(files !== undefined && {
      "requests.csv": cutAtLine(files.requestsCsv),
      "failures.csv": cutAtLine(files.failuresCsv),
      "exceptions.csv": cutAtLine(files.exceptionsCsv),
    }),
    "summary.json": summary(snapshot),
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
