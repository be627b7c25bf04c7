/** How important a message is, least first. */
export type LogLevel = "debug" | "info" | "warn" | "error";

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Whether messages of a level are written by a logger that was told to write from `from` on. */
export function isWritten(level: LogLevel, from: LogLevel): boolean {
  return ranks[level] >= ranks[from];
}
