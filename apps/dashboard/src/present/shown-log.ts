import type { LogLine, LogLines } from "../api/types.ts";

/** Largest number of lines that the page keeps. */
const linesMax = 2_000;

/** A line with its number since the page was opened. */
export interface ShownLine extends LogLine {
  readonly index: number;
}

/** The part of a log that the page shows. */
export interface ShownLog {
  readonly lines: readonly ShownLine[];
  /** Number of lines before these and between them that are not shown. */
  readonly omitted: number;
  /** Numbers of the lines before which the container was started again. */
  readonly restarts: readonly number[];
}

export const emptyLog: ShownLog = { lines: [], omitted: 0, restarts: [] };

/** Appends lines to a log. Lines of a new stream replace it, because a stream begins with the last lines of the log. */
export function appendLines(before: ShownLog, { first, lines, omitted, isRestarted }: LogLines): ShownLog {
  const { lines: known, omitted: missing, restarts } = first === 0 ? emptyLog : before;
  const from = (before.lines.at(-1)?.index ?? -1) + 1;
  const all = [...known, ...lines.map((line, offset) => ({ ...line, index: from + offset }))];
  const shown = all.slice(-linesMax);
  const start = shown[0]?.index ?? 0;
  return {
    lines: shown,
    omitted: missing + omitted + all.length - shown.length,
    restarts: [...restarts, ...(isRestarted ? [from] : [])].filter((index) => index >= start),
  };
}
