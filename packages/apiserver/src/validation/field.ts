// A field of an object under validation, with the errors of `k8s.io/apimachinery/pkg/util/validation/field`. All validation of built-in
// kinds is written with it.

import { quote } from "@homeostat/cel";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  isList,
  isQuantity,
  isRecord,
  labelValueProblems,
  parseQuantity,
  qualifiedNameProblems,
  type Quantity,
} from "@homeostat/core";
import type { Problem, ProblemType } from "@homeostat/schema";

const titles: Readonly<Partial<Record<ProblemType, string>>> = {
  Duplicate: "Duplicate value",
  Forbidden: "Forbidden",
  Invalid: "Invalid value",
  NotFound: "Not found",
  NotSupported: "Unsupported value",
  Required: "Required value",
  TooLong: "Too long",
  TooMany: "Too many",
};

const noPaths: ReadonlySet<string> = new Set();

/** A value in an object with its path, and the list to which its problems are added. */
export class Field {
  readonly value: unknown;
  readonly path: string;
  readonly problems: Problem[];
  readonly #emptyPaths: ReadonlySet<string>;

  /** `emptyPaths` holds the paths at which the body had an empty map or list, which decoding has removed. */
  constructor(value: unknown, path: string, problems: Problem[], emptyPaths: ReadonlySet<string> = noPaths) {
    this.value = value;
    this.path = path;
    this.problems = problems;
    this.#emptyPaths = emptyPaths;
  }

  /** Returns a field of the value. */
  at(name: string): Field {
    const value = isRecord(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new Field(value, this.path === "" ? name : `${this.path}.${name}`, this.problems, this.#emptyPaths);
  }

  /** Returns the items of a list; none for other values. */
  items(): Field[] {
    if (!isList(this.value)) return [];
    return this.value.map(
      (value, index) => new Field(value, `${this.path}[${index}]`, this.problems, this.#emptyPaths),
    );
  }

  /** Returns the same value with a different path, for errors that kube-apiserver does not report at the path of the value. */
  as(path: string): Field {
    return new Field(this.value, path, this.problems, this.#emptyPaths);
  }

  /** Returns another value at the same path. */
  with(value: unknown): Field {
    return new Field(value, this.path, this.problems, this.#emptyPaths);
  }

  /** Returns the entries of a map, sorted by key; none for other values. */
  entries(): [string, unknown][] {
    return isRecord(this.value) ? Object.entries(this.value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [];
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** True if the body had an empty map or list here. */
  get isSentEmpty(): boolean {
    return !this.isSet && this.#emptyPaths.has(this.path);
  }

  get text(): string {
    return typeof this.value === "string" ? this.value : "";
  }

  get number(): number {
    return typeof this.value === "number" ? this.value : 0;
  }

  get length(): number {
    if (isList(this.value)) return this.value.length;
    return isRecord(this.value) ? Object.keys(this.value).length : this.text.length;
  }

  #add(type: ProblemType, detail: string, shown?: { value: unknown }): void {
    const head = shown === undefined ? titles[type] : `${titles[type]}: ${printed(shown.value)}`;
    const message = detail === "" ? `${head}` : `${head}: ${detail}`;
    this.problems.push({ path: this.path, type, detail, message, ...shown });
  }

  required(detail = ""): void {
    this.#add("Required", detail);
  }

  forbidden(detail: string): void {
    this.#add("Forbidden", detail);
  }

  invalid(detail: string, value: unknown = this.value ?? ""): void {
    this.#add("Invalid", detail, { value });
  }

  /** Adds an `Invalid` error that does not show the value. */
  nameless(detail: string): void {
    this.#add("Invalid", detail);
  }

  duplicate(value: unknown = this.value): void {
    this.#add("Duplicate", "", { value });
  }

  notFound(value: unknown = this.value ?? ""): void {
    this.#add("NotFound", "", { value });
  }

  notSupported(supported: readonly string[], value: unknown = this.value ?? ""): void {
    this.#add("NotSupported", `supported values: ${supported.map((each) => quote(each)).join(", ")}`, { value });
  }

  tooLong(bytesMax: number): void {
    this.#add("TooLong", `may not be more than ${bytesMax} bytes`);
  }

  /** Adds an `Invalid` error for each detail. */
  each(details: readonly string[]): void {
    for (const detail of details) this.invalid(detail);
  }

  dnsLabel(): void {
    this.each(dnsLabelProblems(this.text));
  }

  dnsSubdomain(): void {
    this.each(dnsSubdomainProblems(this.text));
  }

  qualifiedName(): void {
    for (const detail of qualifiedNameProblems(this.text)) this.invalid(detail, this.text);
  }

  labelValue(): void {
    this.each(labelValueProblems(this.text));
  }

  /** Checks that the value is one of the supported strings. */
  oneOf(supported: readonly string[], options: { isRequired?: boolean; detail?: string } = {}): void {
    if (this.text === "" && options.isRequired === true) this.required(options.detail);
    else if (!supported.includes(this.text)) this.notSupported(supported, this.text);
  }

  /** Checks that a number, if set, is not negative. */
  notNegative(): void {
    if (this.isSet && this.number < 0) this.invalid("must be greater than or equal to 0");
  }

  between(min: number, max: number): void {
    if (this.number < min || this.number > max)
      this.invalid(`must be between ${min} and ${max}, inclusive`, this.number);
  }

  port(): void {
    this.between(1, 65535);
  }

  /** Checks a port given by number or name. */
  portOrName(): void {
    if (typeof this.value === "string") this.each(portNameProblems(this.value));
    else this.port();
  }

  labels(): void {
    for (const [key, value] of this.entries()) {
      for (const detail of qualifiedNameProblems(key)) this.invalid(detail, key);
      for (const detail of labelValueProblems(String(value))) this.invalid(detail, String(value));
    }
  }
}

/** Returns a value as a quantity; undefined when it is not one. */
export function quantityOf(value: unknown): Quantity | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? parseQuantity(text) : undefined;
}

/** Returns the problems of a port name. */
export function portNameProblems(name: string): string[] {
  const details: string[] = [];
  if (name.length > 15) details.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name))
    details.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) details.push("must contain at least one letter (a-z)");
  if (name.includes("--")) details.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) details.push("must not begin or end with a hyphen");
  return details;
}

function printed(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value);
}
