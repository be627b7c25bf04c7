// Log levels in the form of RUST_LOG: a level, or a list of directives such as `info,chronik_operator=debug`.

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Levels of directives, and the nearest level of this operator. */
const levels: Readonly<Record<string, LogLevel>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  off: "error",
};

/** Targets of directives that mean this program. */
const ownTargets = new Set(["chronik_operator", "chronik-operator"]);

/**
 * Returns the log level that a text sets for this program; undefined if the text is not valid.
 *
 * Of several directives the one for this program wins over the general one. Directives for other targets are accepted and have no
 * effect.
 */
export function logLevelFrom(text: string): LogLevel | undefined {
  let general: LogLevel = "info";
  let own: LogLevel | undefined;
  for (const directive of text.split(",").map((part) => part.trim())) {
    const match = /^(?:([A-Za-z_][\w:-]*)=)?([A-Za-z]+)$/.exec(directive);
    const level = levelOf(match?.[2]);
    if (match === null || level === undefined) return undefined;
    const target = match[1];
    if (target === undefined) general = level;
    else if (ownTargets.has(target)) own = level;
  }
  return own ?? general;
}

function levelOf(word = ""): LogLevel | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(levels, name) ? levels[name] : undefined;
}
