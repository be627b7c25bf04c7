import { cutText, dnsLabelProblems, dnsSubdomainProblems, isQuantity, ownValue } from "@homeostat/core";
import { ConfigurationError, type ConfigurationProblem } from "../errors.ts";
import type { Environment } from "../flags/read-flags.ts";

/** A value that could not be parsed. The default is used instead. */
export interface ConfigurationWarning {
  readonly variable: string;
  /** The value, cut to 100 characters. */
  readonly value: string;
  /** The default that is used, or `unset`. */
  readonly used: string;
  readonly message: string;
}

/** Settings that were read from environment variables. */
export interface EnvironmentReading<S> {
  readonly settings: S;
  /** Values that could not be used; their defaults apply. Log them at start. */
  readonly warnings: readonly ConfigurationWarning[];
}

/**
 * Reads the settings of a program from environment variables.
 *
 * A boolean, number or choice that cannot be parsed gives a warning and its default. Invalid quantities and names throw a
 * {@link ConfigurationError} that lists all of them, because the API server would reject every object built from them.
 *
 * Use it for variables that users of another operator have in their manifests. For new settings use flags of `defineOperator`,
 * which can be set by environment variables as well.
 *
 * @example
 * const { settings, warnings } = readEnvironment(process.env, (env) => ({
 *   image: env.text("EXPORTER_IMAGE", "exporter:1.0"),
 *   port: env.integer("EXPORTER_PORT", { fallback: 9646, min: 1, max: 65_535 }),
 * }));
 */
export function readEnvironment<S>(env: Environment, read: (reader: EnvironmentReader) => S): EnvironmentReading<S> {
  const reader = new EnvironmentReader(env);
  const settings = read(reader);
  if (reader.problems.length > 0) throw new ConfigurationError(reader.problems);
  return { settings, warnings: reader.warnings };
}

// The spellings that Go's strconv.ParseBool accepts.
const trueSpellings = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const falseSpellings = new Set(["0", "f", "F", "FALSE", "false", "False"]);

const secretKeyLengthMax = 253;

function isSecretKey(text: string): boolean {
  return text.length <= secretKeyLengthMax && /^[-._a-zA-Z0-9]+$/.test(text) && text !== "." && !text.startsWith("..");
}

/** Limits how much of a value messages repeat. */
const shownCharactersMax = 100;

/**
 * A parser of environment variables that collects warnings and problems. Created by {@link readEnvironment}.
 *
 * Read secrets with `text` only: the other methods repeat an invalid value in messages, which are logged.
 */
export class EnvironmentReader {
  readonly warnings: ConfigurationWarning[] = [];
  readonly problems: ConfigurationProblem[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Returns a text. An empty variable counts as not set. */
  text(variable: string, fallback: string): string {
    return this.#raw(variable) || fallback;
  }

  /** Returns one of the choices. */
  choice<const C extends string>(variable: string, choices: readonly C[], fallback: NoInfer<C>): C {
    const text = this.text(variable, fallback);
    const found = choices.find((choice) => choice === text);
    return found ?? this.#useDefault(variable, fallback, `it must be one of ${choices.join(", ")}`);
  }

  /** Returns a boolean, spelled as Go's `strconv.ParseBool` accepts it. */
  boolean(variable: string, fallback: boolean): boolean {
    const text = this.text(variable, String(fallback));
    if (trueSpellings.has(text)) return true;
    if (falseSpellings.has(text)) return false;
    return this.#useDefault(variable, fallback, "it must be true or false");
  }

  /** Returns an integer within a range. */
  integer<D extends number | undefined>(
    variable: string,
    { fallback, min, max = 2_147_483_647 }: { readonly fallback: D; readonly min: number; readonly max?: number },
  ): number | D {
    const text = this.text(variable, "");
    if (text === "") return fallback;
    const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return this.#useDefault(variable, fallback, `it must be an integer from ${min} to ${max}`);
  }

  /** Returns a quantity, which must not be negative. An empty variable means no quantity, even if there is a default. */
  quantity(variable: string, fallback: string): string {
    const text = this.#raw(variable) ?? fallback;
    if (text !== "" && (!isQuantity(text) || text.startsWith("-"))) {
      this.#refuse(variable, "is not a quantity such as 250m or 128Mi");
    }
    return text;
  }

  /** Returns the name of an object, undefined if not set. */
  subdomain(variable: string): string | undefined {
    const text = this.text(variable, "");
    if (text === "") return undefined;
    if (dnsSubdomainProblems(text).length > 0) this.#refuse(variable, "is not a DNS-1123 subdomain");
    return text;
  }

  /** Returns a key in a Secret. */
  secretKey(variable: string, fallback: string): string {
    const text = this.text(variable, fallback);
    if (text !== "" && !isSecretKey(text)) this.#refuse(variable, "is not a key of a Secret");
    return text;
  }

  /** Returns the namespaces of a comma-separated list, without duplicates. */
  namespaces(variable: string): string[] {
    const words = this.text(variable, "")
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
    if (words.some((word) => dnsLabelProblems(word).length > 0))
      this.#refuse(variable, "is not a comma-separated list of namespaces");
    return [...new Set(words)];
  }

  #raw(variable: string): string | undefined {
    const value = ownValue(this.#env, variable);
    return typeof value === "string" ? value : undefined;
  }

  #shown(variable: string): string {
    return cutText(this.#raw(variable) ?? "", shownCharactersMax);
  }

  #useDefault<D extends string | boolean | number | undefined>(variable: string, fallback: D, rule: string): D {
    const value = this.#shown(variable);
    const used = fallback === undefined ? "unset" : String(fallback);
    const message = `${variable} is ${JSON.stringify(value)}, but ${rule}. The default is used: ${used}`;
    this.warnings.push({ variable, value, used, message });
    return fallback;
  }

  #refuse(variable: string, problem: string): void {
    this.problems.push({ variable, message: `${JSON.stringify(this.#shown(variable))} ${problem}` });
  }
}
