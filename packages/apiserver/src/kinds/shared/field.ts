// A place in an object and what may be said against it: the vocabulary in which the rules of kinds are written.

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

/** A value in an object, its path, and the list that problems with it go to. */
export class Field {
  readonly value: unknown;
  readonly path: string;
  readonly problems: Problem[];
  readonly #emptied: ReadonlySet<string>;

  /** `emptied`: where an empty map or list was sent, which is not there any more. */
  constructor(value: unknown, path: string, problems: Problem[], emptied: ReadonlySet<string> = noPaths) {
    this.value = value;
    this.path = path;
    this.problems = problems;
    this.#emptied = emptied;
  }

  /** A field of the value. */
  at(name: string): Field {
    const value = isRecord(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new Field(value, this.path === "" ? name : `${this.path}.${name}`, this.problems, this.#emptied);
  }

  /** The entries of the value where it is a list. */
  items(): Field[] {
    if (!isList(this.value)) return [];
    return this.value.map((value, index) => new Field(value, `${this.path}[${index}]`, this.problems, this.#emptied));
  }

  /** The same value under another path, for rules that name another place than the one they are about. */
  as(path: string): Field {
    return new Field(this.value, path, this.problems, this.#emptied);
  }

  /** Another value in this place. */
  with(value: unknown): Field {
    return new Field(value, this.path, this.problems, this.#emptied);
  }

  /** The keys and values of the value where it is a map, by key. */
  entries(): [string, unknown][] {
    return isRecord(this.value) ? Object.entries(this.value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [];
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Whether an empty map or list was sent here. */
  get isSentEmpty(): boolean {
    return !this.isSet && this.#emptied.has(this.path);
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

  /** An invalid value that is not shown, because it would say nothing. */
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

  /** Complains once for each detail. */
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

  /** A text that must be there and be one of a few. */
  oneOf(supported: readonly string[], options: { isRequired?: boolean; detail?: string } = {}): void {
    if (this.text === "" && options.isRequired === true) this.required(options.detail);
    else if (!supported.includes(this.text)) this.notSupported(supported, this.text);
  }

  /** A number from zero up. */
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

  /** A port by its number or its name. */
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

/** A value as an amount; undefined where it is none. */
export function quantityOf(value: unknown): Quantity | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? parseQuantity(text) : undefined;
}

/** What is wrong with the name of a port. */
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
