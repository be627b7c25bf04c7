/** Facts that go with a message. An `error` is written with its code, its causes and its stack. */
export interface LogFields {
  readonly [name: string]: unknown;
}

/**
 * Where a program's messages go.
 *
 * A message is a sentence that stays the same; what differs from time to time is in the fields.
 *
 * @example
 * log.info("Created a job", { job: "default/load" });
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same logger, with fields that go with every message. */
  child(fields: LogFields): Logger;
}

/** A logger that says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
