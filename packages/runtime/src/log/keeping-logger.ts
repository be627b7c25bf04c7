import type { LogFields, Logger } from "./logger.ts";

/** A recorded log line. */
export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

/**
 * Returns a logger that appends its lines to a list, for tests.
 *
 * @example
 * const lines: LogLine[] = [];
 * const log = keepingLogger(lines);
 */
export function recordingLogger(lines: LogLine[], base: LogFields = {}): Logger {
  const at =
    (level: string): Logger["info"] =>
    (message, fields) =>
      void lines.push({ ...base, ...fields, level, message });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordingLogger(lines, { ...base, ...fields }),
  };
}
