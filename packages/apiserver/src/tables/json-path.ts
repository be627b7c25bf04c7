// The subset of JSONPath that printer columns use, with the semantics of `k8s.io/client-go/util/jsonpath`.

import { isList, isRecord, ParseError } from "@homeostat/core";

/** One step of a path. */
type Step =
  | { readonly is: "field"; readonly names: readonly string[] }
  | {
      readonly is: "index";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly by: number;
      readonly isOne: boolean;
    }
  | { readonly is: "wild" }
  | { readonly is: "deep" }
  | { readonly is: "filter"; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Operand = { readonly path: readonly Step[] } | { readonly value: string | number | boolean };

const stepsMax = 200;

/** A parsed JSONPath. */
export class JsonPath {
  readonly #steps: readonly Step[];

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Parses a path such as `.status.conditions[?(@.type=="Ready")].status`. Throws a `ParseError` with the offset of the problem. */
  static parse(text: string): JsonPath {
    return new JsonPath(new Reader(text).whole());
  }

  /** Returns all values at the path; none when a step is missing. */
  find(value: unknown): unknown[] {
    return follow([value], this.#steps);
  }
}

function follow(values: readonly unknown[], steps: readonly Step[]): unknown[] {
  let found = [...values];
  for (const step of steps) found = found.flatMap((value) => take(value, step));
  return found;
}

function take(value: unknown, step: Step): unknown[] {
  switch (step.is) {
    case "field":
      return step.names.flatMap((name) => (isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : []));
    case "wild":
      return isList(value) ? [...value] : isRecord(value) ? Object.values(value) : [];
    case "index":
      return isList(value) ? slice(value, step) : [];
    case "deep":
      return descend(value);
    case "filter":
      return isList(value) ? value.filter((item) => isMatch(item, step)) : [];
  }
}

function slice(list: readonly unknown[], { from, to, by, isOne }: Extract<Step, { is: "index" }>): unknown[] {
  const position = (index: number): number => (index < 0 ? index + list.length : index);
  if (isOne) {
    const at = position(from ?? 0);
    return at >= 0 && at < list.length ? [list[at]] : [];
  }
  const start = Math.max(0, position(from ?? 0));
  const end = Math.min(list.length, position(to ?? list.length));
  const found: unknown[] = [];
  for (let at = start; at < end; at += by) found.push(list[at]);
  return found;
}

function descend(value: unknown): unknown[] {
  const found: unknown[] = [];
  const waiting = [value];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    found.push(next);
    const inside = isList(next) ? next : isRecord(next) ? Object.values(next) : [];
    waiting.push(...inside.filter((each) => typeof each === "object" && each !== null));
  }
  return found;
}

function isMatch(item: unknown, { left, operator, right }: Extract<Step, { is: "filter" }>): boolean {
  const first = valueOf(left, item);
  if (right === undefined) return first !== undefined;
  const second = valueOf(right, item);
  if (first === undefined || second === undefined) return false;
  if (operator === "==") return first === second;
  if (operator === "!=") return first !== second;
  const isNumbers = typeof first === "number" && typeof second === "number";
  if (!isNumbers && !(typeof first === "string" && typeof second === "string")) return false;
  const order = first < second ? -1 : Number(first > second);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function valueOf(operand: Operand, item: unknown): unknown {
  return "value" in operand ? operand.value : follow([item], operand.path)[0];
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Step[] {
    const steps = this.#steps(() => this.#at >= this.#text.length);
    return steps;
  }

  #steps(isEnd: () => boolean): Step[] {
    const steps: Step[] = [];
    while (!isEnd()) {
      if (steps.length >= stepsMax) throw this.#failure("a path of at most 200 steps");
      const sign = this.#text[this.#at];
      if (sign === "[") steps.push(this.#bracket());
      else if (sign === ".") steps.push(...this.#dot());
      else if (sign === "$" || sign === "@") this.#at += 1;
      else steps.push({ is: "field", names: [this.#name()] });
    }
    return steps;
  }

  #dot(): Step[] {
    this.#at += 1;
    const next = this.#text[this.#at];
    if (next === ".") {
      this.#at += 1;
      const after = this.#text[this.#at];
      if (after === undefined) throw this.#failure("a name after ..");
      return after === "[" || after === "*"
        ? [{ is: "deep" }, ...this.#starAt()]
        : [{ is: "deep" }, { is: "field", names: [this.#name()] }];
    }
    if (next === undefined || next === "[") return [];
    if (next === "*") return this.#starAt();
    return [{ is: "field", names: [this.#name()] }];
  }

  #starAt(): Step[] {
    if (this.#text[this.#at] !== "*") return [];
    this.#at += 1;
    return [{ is: "wild" }];
  }

  #name(): string {
    let name = "";
    for (; this.#at < this.#text.length; this.#at += 1) {
      const sign = this.#text.charAt(this.#at);
      if (sign === "\\" && this.#at + 1 < this.#text.length) {
        this.#at += 1;
        name += this.#text.charAt(this.#at);
      } else if (/[.[\]()<>=!&|,\s]/.test(sign)) break;
      else name += sign;
    }
    if (name === "") throw this.#failure("a name");
    return name;
  }

  #bracket(): Step {
    this.#at += 1;
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith("?(")) return this.#filter();
    const quoted = /^\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*\s*\]/.exec(rest);
    if (quoted !== null) {
      this.#at += quoted[0].length;
      const names = [...quoted[0].matchAll(/'([^']*)'|"([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? "");
      return { is: "field", names };
    }
    if (/^\s*\*\s*\]/.test(rest)) {
      this.#at += rest.indexOf("]") + 1;
      return { is: "wild" };
    }
    const range = /^(-?\d{1,9})?(?:(:)(-?\d{1,9})?(?::(\d{1,9}))?)?\]/.exec(rest);
    if (range === null || range[0] === "]") throw this.#failure("an index, a quoted name, * or a filter");
    this.#at += range[0].length;
    const [, from, colon, to, by] = range;
    return {
      is: "index",
      from: from === undefined ? undefined : Number(from),
      to: to === undefined ? undefined : Number(to),
      by: Math.max(1, Number(by ?? 1)),
      isOne: colon === undefined,
    };
  }

  #filter(): Step {
    this.#depth += 1;
    if (this.#depth > 10) throw this.#failure("at most ten nested filters");
    this.#at += 2;
    const left = this.#operand();
    const operator = /^(==|!=|<=|>=|<|>)/.exec(this.#rest())?.[0];
    let right: Operand | undefined;
    if (operator !== undefined) {
      this.#at += operator.length;
      right = this.#operand();
    }
    if (!this.#rest().startsWith(")]")) throw this.#failure(")]");
    this.#at += 2;
    this.#depth -= 1;
    return { is: "filter", left, operator: operator ?? "", right };
  }

  #operand(): Operand {
    this.#skipSpace();
    const literal = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|(-?\d{1,15}(?:\.\d{1,15})?)|(true|false)(?![\w.]))/.exec(
      this.#rest(),
    );
    let operand: Operand;
    if (literal === null) {
      if (this.#text[this.#at] !== "@") throw this.#failure("@, a number or a quoted text");
      this.#at += 1;
      operand = { path: this.#steps(() => /^(?:\s|[=!<>)&|]|$)/.test(this.#rest())) };
    } else {
      this.#at += literal[0].length;
      const [, single, double, number, word] = literal;
      if (number !== undefined) operand = { value: Number(number) };
      else if (word !== undefined) operand = { value: word === "true" };
      else operand = { value: single ?? (double ?? "").replace(/\\(.)/g, "$1") };
    }
    this.#skipSpace();
    return operand;
  }

  #rest(): string {
    return this.#text.slice(this.#at, this.#at + 500);
  }

  #skipSpace(): void {
    while (this.#text[this.#at] === " ") this.#at += 1;
  }

  #failure(problem: string): ParseError {
    return new ParseError({ what: "JSONPath", input: this.#text, offset: this.#at, problem: `expected ${problem}` });
  }
}
