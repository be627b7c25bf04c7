import { durationFromMs, durationToMs, formatDuration, tryParseDuration } from "@homeostat/core";

/** The parsed value of a flag, or the problem with its text: `must be true or false`. */
export type FlagReading<T> = { readonly value: T } | { readonly problem: string };

/** A setting that is read from `--name value` or from an environment variable. Created by {@link flag}. */
export interface Flag<T = unknown> {
  readonly type: "text" | "choice" | "boolean" | "integer" | "duration" | "list";
  /** The description in `--help`, in lowercase and without a period. */
  readonly help: string;
  readonly default: T;
  /** The placeholder of the value in `--help`; undefined for switches such as `--leader-elect`. */
  readonly placeholder: string | undefined;
  /** The allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** The environment variable; undefined to derive it from the name of the flag, null for none. */
  readonly env: string | null | undefined;
  /** Parses a value. Never throws. */
  read(text: string): FlagReading<T>;
  /** Prints a value such that {@link read} returns it. */
  format(value: T): string;
}

/** Flags of a program, by the names of the settings: `maxUsers` is `--max-users`. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** The settings that flags are read into. */
export type SettingsOf<F> = { readonly [N in keyof F]: F[N] extends Flag<infer T> ? T : never };

/** The flags for settings of a type. */
export type FlagsFor<S> = { readonly [N in keyof S]: Flag<S[N]> };

/** Options that all flags have. */
export interface FlagOptions<T> {
  readonly help: string;
  readonly default: T;
  /** The environment variable; null for none. Default: derived from the name, `MAX_USERS` for `maxUsers`. */
  readonly env?: string | null;
}

const trueWords = new Set(["1", "t", "true"]);
const falseWords = new Set(["0", "f", "false"]);

/**
 * Constructors of flags, by type.
 *
 * @example
 * flags: { maxUsers: flag.integer({ default: 100, min: 1, help: "maximum number of users of a test" }) }
 */
export const flag: {
  /** `--name text`. */
  text(options: FlagOptions<string> & TextRules): Flag<string>;
  /** `--name text`; undefined if not set or empty. */
  optional(options: Omit<FlagOptions<string>, "default"> & TextRules): Flag<string | undefined>;
  /** `--name one`: one of a fixed list of values. */
  choice<const C extends string>(options: FlagOptions<NoInfer<C>> & { readonly choices: readonly C[] }): Flag<C>;
  /** `--name` or `--no-name`. */
  boolean(options: FlagOptions<boolean>): Flag<boolean>;
  /** `--name 5`: an integer. */
  integer(options: FlagOptions<number> & { readonly min?: number; readonly max?: number }): Flag<number>;
  /** `--name 1m30s`: a duration, in milliseconds. */
  duration(options: FlagOptions<number> & { readonly minMs?: number; readonly maxMs?: number }): Flag<number>;
  /** `--name a,b`, may be repeated: the values in order, without duplicates. */
  list(options: FlagOptions<readonly string[]> & TextRules): Flag<readonly string[]>;
} = {
  text: ({ check, placeholder = "text", ...options }) => ({
    type: "text",
    ...common(options, placeholder),
    read: (text) => checked(text, check),
    format: (value) => value,
  }),
  optional: ({ check, placeholder = "text", ...options }) => ({
    type: "text",
    ...common({ ...options, default: undefined }, placeholder),
    // An empty environment variable in a manifest means "not set".
    read: (text) => (text === "" ? { value: undefined } : checked(text, check)),
    format: (value) => value ?? "",
  }),
  choice: ({ choices, ...options }) => ({
    type: "choice",
    choices,
    ...common(options, choices.filter((each) => each !== "").join("|")),
    read: (text) => {
      const value = choices.find((each) => each === text);
      return value === undefined
        ? { problem: `must be one of ${choices.filter((each) => each !== "").join(", ")}` }
        : { value };
    },
    format: (value) => value,
  }),
  boolean: (options) => ({
    type: "boolean",
    ...common(options, undefined),
    read: (text) => {
      const word = text.toLowerCase();
      if (trueWords.has(word)) return { value: true };
      return falseWords.has(word) ? { value: false } : { problem: "must be true or false" };
    },
    format: String,
  }),
  integer: ({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...options }) => ({
    type: "integer",
    ...common(options, "number"),
    read: (text) => {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return { value };
      return { problem: `must be an integer${range(min, max, String)}` };
    },
    format: String,
  }),
  duration: ({ minMs = 0, maxMs = Number.MAX_SAFE_INTEGER, ...options }) => ({
    type: "duration",
    ...common(options, "duration"),
    read: (text) => {
      const nanoseconds = tryParseDuration(text);
      const value = nanoseconds === undefined ? Number.NaN : durationToMs(nanoseconds);
      if (value >= minMs && value <= maxMs) return { value };
      return { problem: `must be a duration such as 30s or 5m,${range(minMs, maxMs, formatMs)}` };
    },
    format: formatMs,
  }),
  list: ({ check, placeholder = "a,b", ...options }) => ({
    type: "list",
    ...common(options, placeholder),
    read: (text) => {
      const value = [
        ...new Set(
          text
            .split(",")
            .map((part) => part.trim())
            .filter((part) => part !== ""),
        ),
      ];
      const problem = value.map((part) => check?.(part)).find((found) => found !== undefined);
      return problem === undefined ? { value } : { problem };
    },
    format: (value) => value.join(","),
  }),
};

/** Options of flags with text. */
export interface TextRules {
  /** Returns the problem with a value, undefined if it is valid: `must be a DNS name`. */
  readonly check?: (text: string) => string | undefined;
  /** The placeholder of the value in `--help`. */
  readonly placeholder?: string;
}

function common<T>(
  { help, default: value, env }: FlagOptions<T>,
  placeholder: string | undefined,
): Pick<Flag<T>, "help" | "default" | "env" | "placeholder"> {
  return { help, default: value, env, placeholder };
}

function checked(text: string, check: TextRules["check"]): FlagReading<string> {
  const problem = check?.(text);
  return problem === undefined ? { value: text } : { problem };
}

function range(min: number, max: number, format: (value: number) => string): string {
  const from = min > Number.MIN_SAFE_INTEGER && min !== 0 ? ` from ${format(min)}` : min === 0 ? " from 0" : "";
  return max < Number.MAX_SAFE_INTEGER ? `${from} to ${format(max)}` : from;
}

function formatMs(ms: number): string {
  return formatDuration(durationFromMs(ms));
}
