import { cutText, dnsLabelProblems, dnsSubdomainProblems, isQuantity, ownValue } from "@homeostat/core";
import type { ConfigProblem } from "./errors.ts";

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that could not be used, so that the default was. */
export interface ConfigWarning {
  readonly variable: string;
  readonly value: string;
  /** What was used instead. */
  readonly used: string;
  /** All of it in a sentence. */
  readonly message: string;
}

const yes = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const no = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/** How much of a value is repeated in messages. */
const shownMax = 100;

/**
 * Reads variables, and collects what is to be said about them.
 *
 * Texts that may be secret are only ever read by `text`, which says nothing about them.
 */
export class Variables {
  readonly warnings: ConfigWarning[] = [];
  readonly problems: ConfigProblem[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Whether the variable is there at all, even if it is empty. */
  isSet(variable: string): boolean {
    return this.#raw(variable) !== undefined;
  }

  /** A text. Empty counts as not set. */
  text(variable: string, fallback: string): string {
    return this.#raw(variable) || fallback;
  }

  /** One of a few texts; a warning and the default for anything else. */
  choice<C extends string>(variable: string, choices: readonly C[], fallback: C): C {
    const text = this.text(variable, fallback);
    const found = choices.find((choice) => choice === text);
    return found ?? this.#instead(variable, fallback, `it has to be one of ${choices.join(", ")}`);
  }

  /** True or false, in the ways to say it that programs in Go understand. */
  boolean(variable: string, fallback: boolean): boolean {
    const text = this.text(variable, String(fallback));
    if (yes.has(text)) return true;
    if (no.has(text)) return false;
    return this.#instead(variable, fallback, "it has to be true or false");
  }

  /** A whole number within bounds. */
  integer<D extends number | undefined>(
    variable: string,
    { fallback, min, max = 2_147_483_647 }: { fallback: D; min: number; max?: number },
  ): number | D {
    const text = this.text(variable, "");
    if (text === "") return fallback;
    const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return this.#instead(variable, fallback, `it has to be a whole number from ${min} to ${max}`);
  }

  /** An amount. Set but empty means none; what is no amount keeps the program from starting. */
  quantity(variable: string, fallback: string): string {
    const text = this.#raw(variable) ?? fallback;
    if (text !== "" && (!isQuantity(text) || text.startsWith("-"))) {
      this.#refuse(variable, "is not an amount such as 250m or 128Mi");
    }
    return text;
  }

  /** The name of an object, or undefined. */
  subdomain(variable: string): string | undefined {
    const text = this.text(variable, "");
    if (text === "") return undefined;
    if (dnsSubdomainProblems(text).length > 0) this.#refuse(variable, "is not a DNS-1123 subdomain");
    return text;
  }

  /** Names with commas between them. */
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

  #instead<D extends string | boolean | number | undefined>(variable: string, fallback: D, rule: string): D {
    const value = this.#shown(variable);
    const used = fallback === undefined ? "unset" : String(fallback);
    this.warnings.push({
      variable,
      value,
      used,
      message: `${variable} is ${JSON.stringify(value)}, but ${rule}. The default is used: ${used}`,
    });
    return fallback;
  }

  #refuse(variable: string, problem: string): void {
    this.problems.push({ variable, message: `${JSON.stringify(this.#shown(variable))} ${problem}` });
  }
}
