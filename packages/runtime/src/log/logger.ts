/** Structured fields of a message. An `error` is written with its code, its causes and its stack. */
export interface LogFields {
  readonly [name: string]: unknown;
}

/**
 * A structured logger.
 *
 * A message is a constant text; the variable parts are fields.
 *
 * @example
 * log.info("Created Job", { job: "default/load" });
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds fields to every message. */
  child(fields: LogFields): Logger;
}

/** A logger that discards all messages. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
