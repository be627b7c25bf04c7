import type { RunSettings } from "./run-flags.ts";

/** A flag that is accepted without effect, because this operator does not need it. */
export interface IgnoredFlag {
  /** The syntax: a `switch` has no value, or `=true` or `=false`; a `value` flag requires a value. */
  readonly ignored: "switch" | "value";
  /** Reason why the flag has no effect. Written to standard error if the flag is set, except to `false` or the empty string. Default: nothing is written. */
  readonly why?: string;
  /** Returns the problem of a value in combination with the other settings: `is false, so --cert-dir is required`. Default: every value is valid. */
  check?(this: void, value: string, settings: RunSettings): string | undefined;
}

/**
 * The target of an alias: the flag as it is written on the command line, optionally with an environment variable that is read
 * if the one of the flag is not set; or a flag without effect.
 */
export type FlagAlias = string | { readonly flag: string; readonly env?: string } | IgnoredFlag;

/**
 * Aliases of flags, by name without the leading dashes. An operator with aliases also accepts flags with a single dash, as
 * programs that use Go's `flag` package do.
 *
 * @example
 * flagAliases: {
 *   "enable-webhooks": "webhooks",
 *   "cert-dir": { flag: "webhook-cert-dir", env: "CERT_DIR" },
 *   "enable-http2": { ignored: "switch", why: "metrics and webhooks are served over HTTP/1.1" },
 * }
 */
export interface FlagAliases {
  readonly [word: string]: FlagAlias;
}

/** Reports whether an alias is accepted without effect. */
export function isIgnored(alias: FlagAlias): alias is IgnoredFlag {
  return typeof alias === "object" && "ignored" in alias;
}

/** Returns the flag that an alias refers to, undefined for a flag without effect. */
export function targetOf(alias: FlagAlias): string | undefined {
  if (typeof alias === "string") return alias;
  return isIgnored(alias) ? undefined : alias.flag;
}

/** Returns the aliases that refer to a flag. Commands other than `run` accept only these. */
export function renamedFlags(aliases: FlagAliases): FlagAliases {
  return Object.fromEntries(Object.entries(aliases).filter(([, alias]) => !isIgnored(alias)));
}

/** Returns the environment variables that aliases add to a flag. They are read after the flag's own variable. */
export function aliasVariables(aliases: FlagAliases, word: string): readonly string[] {
  return Object.values(aliases).flatMap((alias) =>
    typeof alias === "object" && !isIgnored(alias) && alias.flag === word && alias.env !== undefined ? [alias.env] : [],
  );
}

/** The result of checking the flags without effect that were given. */
export interface IgnoredOutcome {
  /** One sentence per flag that was set and has no effect. */
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

/** Checks the flags without effect that were given, by name, in combination with the settings. */
export function checkIgnored(
  aliases: FlagAliases,
  { ignored, settings }: { readonly ignored: ReadonlyMap<string, string>; readonly settings: RunSettings },
): IgnoredOutcome {
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [word, value] of ignored) {
    const alias = aliases[word];
    if (alias === undefined || !isIgnored(alias)) continue;
    const problem = alias.check?.(value, settings);
    if (problem !== undefined) problems.push(`--${word} ${problem}.`);
    const isAsked = alias.ignored === "switch" ? !isFalse(value) : value !== "";
    if (alias.why !== undefined && isAsked) warnings.push(`--${word} has no effect: ${alias.why}.`);
  }
  return { warnings, problems };
}

function isFalse(text: string): boolean {
  return ["0", "f", "false"].includes(text.toLowerCase());
}
