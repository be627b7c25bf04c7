import type { LogFields, Logger, LogLevel } from "@homeostat/runtime";

const order: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The lowest level that is written; it can be changed while the proxy runs. */
export class LevelSetting {
  #level: LogLevel;

  constructor(level: LogLevel) {
    this.#level = level;
  }

  get level(): LogLevel {
    return this.#level;
  }

  /** Sets the level. Returns false for a text that is not a level. */
  set(text: string): boolean {
    const level = order.find((each) => each === text);
    if (level !== undefined) this.#level = level;
    return level !== undefined;
  }

  isEnabled(level: LogLevel): boolean {
    return order.indexOf(level) >= order.indexOf(this.#level);
  }
}

/** Returns a logger that drops lines below a level that can change. */
export function levelLogger(log: Logger, setting: LevelSetting): Logger {
  const at =
    (level: LogLevel): Logger["info"] =>
    (message: string, fields?: LogFields) => {
      if (setting.isEnabled(level)) log[level](message, fields);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => levelLogger(log.child(fields), setting),
  };
}
