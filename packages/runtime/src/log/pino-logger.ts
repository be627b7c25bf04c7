import { type Clock, systemClock } from "@homeostat/core";
import type { Logger as Pino } from "pino";
import { plainFields } from "./field-values.ts";
import type { LogLevel } from "./level.ts";
import type { LogFields, Logger } from "./logger.ts";

/** Options of {@link pinoLogger}. */
export interface PinoLoggerOptions {
  /** Lowest level that is written. Default: `info`. */
  readonly level?: LogLevel;
  /** Fields added to every message. */
  readonly fields?: LogFields;
  /** Destination of the lines, each with its line feed. Default: standard output. */
  readonly destination?: { write(line: string): void };
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Returns a logger that writes one JSON object per line with pino: `level`, `time`, `msg` and the fields.
 *
 * Errors are written with code, causes and stacks; of objects only the names, and no value with a secret-like name.
 * pino is loaded on the first call.
 *
 * @example
 * const log = await pinoLogger({ level: "debug", fields: { program: "tenants" } });
 */
export async function pinoLogger(options: PinoLoggerOptions = {}): Promise<Logger> {
  const { level = "info", fields = {}, destination, clock = systemClock } = options;
  const { pino } = await import("pino");
  const settings = {
    level,
    base: plainFields(fields),
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // plainFields has already converted the fields.
    serializers: {},
  };
  return wrap(destination === undefined ? pino(settings) : pino(settings, destination));
}

function wrap(pino: Pino): Logger {
  return {
    debug: (message, fields) => write(pino, "debug", message, fields),
    info: (message, fields) => write(pino, "info", message, fields),
    warn: (message, fields) => write(pino, "warn", message, fields),
    error: (message, fields) => write(pino, "error", message, fields),
    child: (fields) => wrap(pino.child(plainFields(fields))),
  };
}

function write(pino: Pino, level: LogLevel, message: string, fields: LogFields = {}): void {
  if (pino.isLevelEnabled(level)) pino[level](plainFields(fields), message);
}
