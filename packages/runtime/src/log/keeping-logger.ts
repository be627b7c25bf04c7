import type { LogFields, Logger } from "./logger.ts";

/** A line of a log that was kept. */
export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

/**
 * A logger that keeps what it is told in a list, for tests that look at it.
 *
 * @example
 * const lines: LogLine[] = [];
 * const log = keepingLogger(lines);
 */
export function keepingLogger(lines: LogLine[], base: LogFields = {}): Logger {
  const at =
    (level: string): Logger["info"] =>
    (message, fields) =>
      void lines.push({ ...base, ...fields, level, message });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => keepingLogger(lines, { ...base, ...fields }),
  };
}
