import { KubeconfigError } from "./errors.ts";

/**
 * A value of a parsed kubeconfig together with its file and field, so that every error can name them.
 *
 * Reads own properties only, so that a key such as `__proto__` in a malicious file has no effect.
 */
export class Reader {
  readonly #value: unknown;
  readonly #file: string;
  readonly #field: string;

  constructor(value: unknown, file: string, field = "") {
    this.#value = value;
    this.#file = file;
    this.#field = field;
  }

  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  /** Returns the value of a field of this mapping. */
  at(key: string): Reader {
    const value = isMapping(this.#value) && Object.hasOwn(this.#value, key) ? this.#value[key] : undefined;
    return new Reader(value, this.#file, this.#field === "" ? key : `${this.#field}.${key}`);
  }

  /** Returns the same value with another field name for messages, such as `users[name=dev]`. */
  named(field: string): Reader {
    return new Reader(this.#value, this.#file, field);
  }

  mapping(): this {
    if (!this.isAbsent && !isMapping(this.#value)) throw this.fault(`is ${kindOf(this.#value)}, not a mapping`);
    return this;
  }

  /** Returns the items of this list; none if it is absent. */
  list(): Reader[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.#value)) throw this.fault(`is ${kindOf(this.#value)}, not a list`);
    return this.#value.map((item, index) => new Reader(item, this.#file, `${this.#field}[${index}]`));
  }

  /** Returns the entries of this mapping; none if it is absent. */
  entries(): [string, Reader][] {
    this.mapping();
    return isMapping(this.#value) ? Object.keys(this.#value).map((key) => [key, this.at(key)]) : [];
  }

  /** Returns this string, or undefined if it is absent or empty: kubectl treats both alike. */
  text(): string | undefined {
    if (this.isAbsent || this.#value === "") return undefined;
    if (typeof this.#value !== "string")
      throw this.fault(`is ${kindOf(this.#value)}, not a string`, "Put it in quotes.");
    return this.#value;
  }

  requiredText(remedy: string): string {
    const value = this.text();
    if (value === undefined) throw this.fault("is missing", remedy);
    return value;
  }

  flag(): boolean {
    if (this.isAbsent) return false;
    if (typeof this.#value !== "boolean") throw this.fault(`is ${kindOf(this.#value)}, not true or false`);
    return this.#value;
  }

  fault(problem: string, remedy = "Compare it with a file that `kubectl config view` accepts."): KubeconfigError {
    return new KubeconfigError({
      file: this.#file,
      ...(this.#field === "" ? {} : { field: this.#field }),
      problem,
      remedy,
    });
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
