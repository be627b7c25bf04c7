import type { LogFields, Logger } from "@homeostat/runtime";

/** A line of the log. */
export interface Line extends LogFields {
  readonly level: string;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export function keepingLogger(lines: Line[], base: LogFields = {}): Logger {
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
