// Responses of real masters, recorded by record.py.

import { readFileSync } from "node:fs";

/** A recorded response. */
export interface RecordedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly location: string | null;
  readonly body: string;
}

/** The recording of one version of Locust. */
export interface Recording {
  readonly version: string;
  readonly states: Readonly<Record<"waiting" | "ready" | "spawning" | "running" | "stopped", RecordedAnswer>>;
  readonly csv: Readonly<Record<"requests" | "failures" | "exceptions", RecordedAnswer>>;
  readonly stop: Readonly<Record<"GET" | "POST" | "after", RecordedAnswer>>;
  readonly login: RecordedAnswer | null;
}

/** Recorded versions. */
export const versions = ["2.15.1", "2.18.4", "2.20.1", "2.36.2", "2.46.7", "2.47.0"] as const;

/** Reads the recording of one version. */
export function recordingOf(version: (typeof versions)[number]): Recording {
  const url = new URL(`../../src/testing/recordings/${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as Recording;
}

/** Returns the cells of the last line of a CSV file of requests: Locust's own totals. */
export function csvTotal({ csv }: Recording): { requests: number; failures: number; rps: number; p95: number } {
  const cells = csv.requests.body.trimEnd().split("\r\n").at(-1)?.split(",") ?? [];
  return { requests: Number(cells[2]), failures: Number(cells[3]), rps: Number(cells[9]), p95: Number(cells[16]) };
}
