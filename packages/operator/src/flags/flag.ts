import { durationFromMs, durationToMs, formatDuration, tryParseDuration } from "@homeostat/core";

/** What a text on the command line stands for, or why it stands for nothing. */
export type FlagReading<T> = { readonly value: T } | { readonly problem: string };

/** A setting that is given as `--name value` or as an environment variable. Made by {@link flag}. */
export interface Flag<T = unknown> {
  /** What kind of value it has. */
  readonly type: "text" | "choice" | "boolean" | "integer" | "duration" | "list";
  /** What it does, in a few words, for `--help`. */
  readonly help: string;
  /** What it is when nobody says. */
  readonly default: T;
  /** How its value is called in `--help`; undefined where it stands alone, as `--leader-elect` does. */
  readonly placeholder: string | undefined;
  /** The values there are, where these are few. */
  readonly choices?: readonly string[];
  /** The environment variable that sets it too; undefined for the one made from its name, null for none. */
  readonly env: string | null | undefined;
  /** Reads a value. Never throws. */
  read(text: string): FlagReading<T>;
  /** The text that {@link read} takes for a value. */
  format(value: T): string;
}

/** The flags of a program, by the names its code has for them: `maxUsers` is `--max-users`. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** The values of flags. */
export type SettingsOf<F> = { readonly [N in keyof F]: F[N] extends Flag<infer T> ? T : never };

/** The flags that settings of a type are read by. */
export type FlagsFor<S> = { readonly [N in keyof S]: Flag<S[N]> };

/** What every flag may be told. */
export interface FlagOptions<T> {
  readonly help: string;
  readonly default: T;
  /** Another environment variable than the one made from the name; null for none. */
  readonly env?: string | null;
}

const yes = new Set(["1", "t", "true"]);
const no = new Set(["0", "f", "false"]);

/**
 * Makes flags of every type.
 *
 * @example
 * flags: { maxUsers: flag.integer({ default: 100, min: 1, help: "how many users a test may have" }) }
 */
export const flag: {
  /** `--name text`. */
  text(options: FlagOptions<string> & TextRules): Flag<string>;
  /** `--name text`, or nothing. */
  optional(options: Omit<FlagOptions<string>, "default"> & TextRules): Flag<string | undefined>;
  /** `--name one`, of a few that there are. */
  choice<const C extends string>(options: FlagOptions<NoInfer<C>> & { readonly choices: readonly C[] }): Flag<C>;
  /** `--name` or `--no-name`. */
  boolean(options: FlagOptions<boolean>): Flag<boolean>;
  /** `--name 5`: a whole number. */
  integer(options: FlagOptions<number> & { readonly min?: number; readonly max?: number }): Flag<number>;
  /** `--name 1m30s`: a time, in milliseconds. */
  duration(options: FlagOptions<number> & { readonly minMs?: number; readonly maxMs?: number }): Flag<number>;
  /** `--name a,b`, also several times: texts in their order, each once. */
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
    // Set but empty is how a manifest says "none".
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
        ? { problem: `has to be one of ${choices.filter((each) => each !== "").join(", ")}` }
        : { value };
    },
    format: (value) => value,
  }),
  boolean: (options) => ({
    type: "boolean",
    ...common(options, undefined),
    read: (text) => {
      const word = text.toLowerCase();
      if (yes.has(word)) return { value: true };
      return no.has(word) ? { value: false } : { problem: "has to be true or false" };
    },
    format: String,
  }),
  integer: ({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...options }) => ({
    type: "integer",
    ...common(options, "number"),
    read: (text) => {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return { value };
      return { problem: `has to be a whole number${range(min, max, String)}` };
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
      return { problem: `has to be a duration such as 30s or 5m${range(minMs, maxMs, formatMs)}` };
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

/** Rules for a text. */
export interface TextRules {
  /** What is wrong with a value: `has to be a DNS name`. */
  readonly check?: (text: string) => string | undefined;
  /** How the value is called in `--help`. */
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
