import type { RunSettings } from "../run/run-flags.ts";

/** A flag that is accepted and does nothing, because this operator has no need of it. */
export interface IgnoredFlag {
  /** `switch` stands alone or has `=true` or `=false`; `value` is followed by one. */
  readonly ignored: "switch" | "value";
  /** Why it has no effect. Written to standard error when the flag is given, unless as `=false` or empty. Default: nothing is written. */
  readonly why?: string;
  /** Returns what is wrong with a value together with the other settings: `is false, so --cert-dir is needed`. Default: nothing is. */
  check?(this: void, value: string, settings: RunSettings): string | undefined;
}

/**
 * Another name of a flag: the name of the flag as it is written on the command line, with the environment variable that is read
 * when that of the flag is not set; or that the flag is accepted without effect.
 */
export type FlagAlias = string | { readonly flag: string; readonly env?: string } | IgnoredFlag;

/**
 * Other names of flags, as written on the command line without dashes. With them flags may also be written with a single dash, as
 * programs in Go allow.
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

/** The flag that an alias stands for; undefined for one without effect. */
export function targetOf(alias: FlagAlias): string | undefined {
  if (typeof alias === "string") return alias;
  return isIgnored(alias) ? undefined : alias.flag;
}

/** The aliases that stand for a flag: all that other commands than `run` accept. */
export function renamedFlags(aliases: FlagAliases): FlagAliases {
  return Object.fromEntries(Object.entries(aliases).filter(([, alias]) => !isIgnored(alias)));
}

/** Variables that are read for a flag after its own, by the flag as it is written on the command line. */
export function aliasVariables(aliases: FlagAliases, word: string): readonly string[] {
  return Object.values(aliases).flatMap((alias) =>
    typeof alias === "object" && !isIgnored(alias) && alias.flag === word && alias.env !== undefined ? [alias.env] : [],
  );
}

/** What the flags without effect that were given lead to. */
export interface IgnoredOutcome {
  /** What was asked for and is not done, a sentence each. */
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

/** Judges the flags without effect that were given, by name, together with the settings. */
export function judgeIgnored(
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
