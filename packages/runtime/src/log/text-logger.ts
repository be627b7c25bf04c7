import { type Clock, isRecord, systemClock } from "@homeostat/core";
import { type ErrorRecord, recordOfError, sentenceOfError } from "./error-record.ts";
import { plainFields } from "./field-values.ts";
import { isEnabled, type LogLevel } from "./level.ts";
import type { LogFields, Logger } from "./logger.ts";

/** Options of {@link textLogger}. */
export interface TextLoggerOptions {
  /** Lowest level that is written. Default: `info`. */
  readonly level?: LogLevel;
  /** Receives the lines, each with its line feed. Default: standard error. */
  readonly write?: (line: string) => void;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Returns a logger for terminals: one line per message, with time, level, message and `key=value`.
 *
 * An error is one field with its message, code and causes. At level `error`, the stacks follow below the line,
 * indented; so does a text of several lines, such as YAML to paste. Control characters are escaped, so a logged value
 * can neither move the cursor nor look like the start of another message.
 *
 * @example
 * const log = textLogger({ level: "debug" });
 * log.info("Created Job", { job: "default/load" });
 * // 2026-11-16T09:00:00.000Z info  Created Job job=default/load
 */
export function textLogger(options: TextLoggerOptions = {}): Logger {
  return new TextLogger(options, {});
}

class TextLogger implements Logger {
  readonly #options: TextLoggerOptions;
  readonly #fields: LogFields;

  constructor(options: TextLoggerOptions, fields: LogFields) {
    this.#options = options;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  child(fields: LogFields): Logger {
    return new TextLogger(this.#options, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { level: from = "info", write = toStandardError, clock = systemClock } = this.#options;
    if (!isEnabled(level, from)) return;
    const time = new Date(clock.now()).toISOString();
    const parts = [time, level.padEnd(5), escapeControls(message)];
    const blocks: string[] = [];
    for (const [name, value] of Object.entries(errorsAsText({ ...this.#fields, ...fields }))) {
      if (typeof value === "string" && isBlock(value, fields[name])) blocks.push(...blockLines(name, value));
      else parts.push(`${escapeControls(name)}=${valueText(value)}`);
    }
    const lines = [parts.join(" "), ...blocks, ...(level === "error" ? stacksOf(fields) : [])];
    write(`${lines.join("\n")}\n`);
  }
}

/**
 * Reports whether a value is shown below the line: a text of several lines, such as YAML, that was logged as a string.
 */
function isBlock(value: string, logged: unknown): boolean {
  return value.includes("\n") && typeof logged === "string";
}

function blockLines(name: string, text: string): readonly string[] {
  return [`    ${escapeControls(name)}:`, ...text.split("\n").map((line) => `    ${escapeControls(line)}`)];
}

/** Returns the stacks of all errors among the fields, as indented lines. */
function stacksOf(fields: LogFields): readonly string[] {
  return Object.values(fields).flatMap((value) => (value instanceof Error ? stackLines(recordOfError(value)) : []));
}

/** Maximum number of stack frames shown per error. */
const framesMax = 10;

function stackLines({ name, message, stack = "", cause, errors = [] }: ErrorRecord, title = ""): readonly string[] {
  const frames = stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at ") && !line.includes("(node:internal/") && !line.includes(" node:internal/"));
  const [first = ""] = message.split("\n", 1);
  return [
    `    ${escapeControls(`${title}${name}: ${first}`)}`,
    ...frames.slice(0, framesMax).map((frame) => `        ${escapeControls(frame)}`),
    ...(cause === undefined ? [] : stackLines(cause, "caused by ")),
    ...errors.flatMap((part) => stackLines(part, "one of ")),
  ];
}

/** Returns fields as plain data, with every error replaced by its one-line text. */
function errorsAsText(fields: LogFields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? sentenceOfError(value) : value,
  ]);
  return plainFields(Object.fromEntries(entries));
}

function valueText(value: unknown): string {
  const text = Array.isArray(value) || isRecord(value) ? JSON.stringify(value) : String(value);
  return escapeControls(/^[^\s"=]+$/u.test(text) ? text : JSON.stringify(text));
}

/**
 * Escapes control, format and line-separating characters: a terminal would obey them, and a message must stay on one
 * line.
 */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

function toStandardError(line: string): void {
  process.stderr.write(line);
}
