import { cutText, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** An invalid field of a document. */
export interface FieldProblem {
  /** Path of the field: `entries[3].percent`. */
  readonly field: string;
  /** The value as JSON, truncated. Values of headers are omitted, because they may be secret. */
  readonly value: string;
  /** The rule that the value breaks, and the remedy. */
  readonly reason: string;
}

/** Maximum number of problems that are listed. A broken generator could produce one for each of thousands of entries. */
const problemsMax = 100;
const shownMax = 128;

/** The problems of a document. */
export class ProblemList {
  readonly #problems: FieldProblem[] = [];
  #count = 0;

  /** Number of problems, including those that are not listed. */
  get count(): number {
    return this.#count;
  }

  add(field: string, value: unknown, reason: string): void {
    this.#count += 1;
    if (this.#problems.length < problemsMax) this.#problems.push({ field, value: shown(value), reason });
  }

  /** Returns the problems; if there are too many, the last one has the number of the others. */
  list(): readonly FieldProblem[] {
    const omitted = this.#count - this.#problems.length;
    if (omitted === 0) return this.#problems;
    return [...this.#problems, { field: "", value: String(omitted), reason: "further problems are not listed" }];
  }
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : cutText(JSON.stringify(value) ?? typeof value, shownMax);
}

/** A rule for a text: returns the reason why it is invalid, or undefined. */
export type TextRule = (text: string) => string | undefined;

/** Bounds of an integer, both inclusive. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Reads the fields of one JSON object and collects problems with their paths. Fields that it is not asked for are ignored, so
 * that an older program reads the document of a newer one. A null counts as absent.
 */
export class FieldReader {
  readonly #record: Readonly<JsonRecord>;
  readonly #path: string;
  readonly #problems: ProblemList;

  private constructor(record: Readonly<JsonRecord>, path: string, problems: ProblemList) {
    this.#record = record;
    this.#path = path;
    this.#problems = problems;
  }

  /** Returns a reader of an object, or undefined and a problem if the value is not an object. */
  static of(value: unknown, path: string, problems: ProblemList): FieldReader | undefined {
    if (isRecord(value)) return new FieldReader(value, path, problems);
    problems.add(path, value, "must be an object");
    return undefined;
  }

  /** Names of the fields that are present. */
  get names(): readonly string[] {
    return Object.keys(this.#record);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** Adds a problem of a field. `value` replaces the value of the field, if that must not be shown. */
  fail(name: string, reason: string, value: unknown = this.#value(name)): void {
    this.#problems.add(this.#pathOf(name), value, reason);
  }

  /** Returns a required text; an empty one if it is missing or invalid. */
  text(name: string, rule: TextRule): string {
    const value = this.#value(name);
    if (value === undefined) this.fail(name, "is required");
    return this.optionalText(name, rule) ?? "";
  }

  optionalText(name: string, rule: TextRule): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const reason = typeof value === "string" ? rule(value) : "must be a string";
    if (reason !== undefined) this.fail(name, reason);
    return typeof value === "string" ? value : undefined;
  }

  /** Returns a required integer; the minimum if it is missing or invalid. */
  integer(name: string, range: IntegerRange): number {
    if (this.#value(name) === undefined) this.fail(name, "is required");
    return this.optionalInteger(name, range) ?? range.min;
  }

  optionalInteger(name: string, { min, max }: IntegerRange): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    this.fail(name, `must be an integer from ${min} to ${max}`);
    return undefined;
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#value(name);
    if (value === undefined || typeof value === "boolean") return value;
    this.fail(name, "must be true or false");
    return undefined;
  }

  optionalChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const choice = choices.find((each) => each === value);
    if (choice === undefined) this.fail(name, `must be one of ${choices.join(", ")}`);
    return choice;
  }

  /** Returns the elements of an optional list that `read` accepts. */
  optionalList<T>(
    name: string,
    lengthMax: number,
    read: (value: unknown, path: string) => T | undefined,
  ): readonly T[] | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (!isList(value)) {
      this.fail(name, "must be a list");
      return undefined;
    }
    if (value.length > lengthMax) {
      this.fail(name, `must have at most ${lengthMax} elements`, value.length);
      return undefined;
    }
    const path = this.#pathOf(name);
    const items: T[] = [];
    for (const [index, each] of value.entries()) {
      const item = read(each, `${path}[${index}]`);
      if (item !== undefined) items.push(item);
    }
    // A copy has room for its elements only. A list that grew has room for 17, and a table has tens of thousands of lists with one element.
    return items.slice();
  }

  /** Returns the texts of an optional list. */
  optionalTexts(name: string, lengthMax: number, rule: TextRule): readonly string[] | undefined {
    return this.optionalList(name, lengthMax, (value, path) => {
      const reason = typeof value === "string" ? rule(value) : "must be a string";
      if (reason !== undefined) this.#problems.add(path, value, reason);
      return typeof value === "string" && reason === undefined ? value : undefined;
    });
  }

  /** Returns a reader of an optional object. */
  optionalObject(name: string): FieldReader | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : FieldReader.of(value, this.#pathOf(name), this.#problems);
  }

  /** Returns the value of a field without any check. */
  raw(name: string): unknown {
    return this.#value(name);
  }

  #value(name: string): unknown {
    return ownValue(this.#record, name) ?? undefined;
  }

  #pathOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}
