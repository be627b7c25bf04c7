/** Severity of a message, lowest first. */
export type LogLevel = "debug" | "info" | "warn" | "error";

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Reports whether a logger with the threshold `from` writes messages of a level. */
export function isEnabled(level: LogLevel, from: LogLevel): boolean {
  return ranks[level] >= ranks[from];
}
