import { HomeostatError } from "homeostat";
import { cutText, dnsLabelProblems, dnsSubdomainProblems, isQuantity, ownValue } from "@homeostat/core";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that could not be used. */
export interface SettingWarning {
  readonly variable: string;
  readonly value: string;
  /** The default that is used instead. */
  readonly used: string;
  readonly message: string;
}

/** A value that the operator cannot start with. */
export interface SettingProblem {
  readonly variable: string;
  readonly message: string;
}

/** Thrown when the operator cannot start with its settings. Lists everything that is wrong. */
export class ConfigurationError extends HomeostatError {
  readonly code = "LOCUST_CONFIGURATION";
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const list = problems.map(({ variable, message }) => `${variable}: ${message}`).join("; ");
    super(
      `invalid operator configuration: resource validation failed: ${list}. Correct these variables and start again.`,
    );
    this.problems = problems;
  }
}

// The spellings that Go's strconv.ParseBool accepts.
const yes = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const no = new Set(["0", "f", "F", "FALSE", "false", "False"]);

const secretKeyLengthMax = 253;

function isSecretKey(text: string): boolean {
  return text.length <= secretKeyLengthMax && /^[-._a-zA-Z0-9]+$/.test(text) && text !== "." && !text.startsWith("..");
}

/** How much of a value is repeated in messages. */
const shownMax = 100;

/** Reads environment variables and collects warnings and problems. Secrets are only read by `text`, which reports nothing. */
export class Variables {
  readonly warnings: SettingWarning[] = [];
  readonly problems: SettingProblem[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Empty counts as not set. */
  text(variable: string, fallback: string): string {
    return this.#raw(variable) || fallback;
  }

  choice<const C extends string>(variable: string, choices: readonly C[], fallback: NoInfer<C>): C {
    const text = this.text(variable, fallback);
    const found = choices.find((choice) => choice === text);
    return found ?? this.#useDefault(variable, fallback, `it has to be one of ${choices.join(", ")}`);
  }

  boolean(variable: string, fallback: boolean): boolean {
    const text = this.text(variable, String(fallback));
    if (yes.has(text)) return true;
    if (no.has(text)) return false;
    return this.#useDefault(variable, fallback, "it has to be true or false");
  }

  integer<D extends number | undefined>(
    variable: string,
    { fallback, min, max = 2_147_483_647 }: { fallback: D; min: number; max?: number },
  ): number | D {
    const text = this.text(variable, "");
    if (text === "") return fallback;
    const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return this.#useDefault(variable, fallback, `it has to be a whole number from ${min} to ${max}`);
  }

  /** Set but empty means no amount. */
  quantity(variable: string, fallback: string): string {
    const text = this.#raw(variable) ?? fallback;
    if (text !== "" && (!isQuantity(text) || text.startsWith("-"))) {
      this.#refuse(variable, "is not an amount such as 250m or 128Mi");
    }
    return text;
  }

  subdomain(variable: string): string | undefined {
    const text = this.text(variable, "");
    if (text === "") return undefined;
    if (dnsSubdomainProblems(text).length > 0) this.#refuse(variable, "is not a DNS-1123 subdomain");
    return text;
  }

  /** A key of a Secret. */
  secretKey(variable: string, fallback: string): string {
    const text = this.text(variable, fallback);
    if (text !== "" && !isSecretKey(text)) this.#refuse(variable, "is not a key of a Secret");
    return text;
  }

  /** DNS labels, separated by commas. */
  labels(variable: string): string[] {
    const words = this.text(variable, "")
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
    if (words.some((word) => dnsLabelProblems(word).length > 0)) this.#refuse(variable, "is not a list of namespaces");
    return [...new Set(words)];
  }

  #raw(variable: string): string | undefined {
    const value = ownValue(this.#env, variable);
    return typeof value === "string" ? value : undefined;
  }

  #shown(variable: string): string {
    return cutText(this.#raw(variable) ?? "", shownMax);
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
