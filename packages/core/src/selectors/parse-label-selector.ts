import { ParseError } from "../errors/parse-error.ts";
import { LabelSelector } from "./label-selector.ts";
import { labelTokens, type LabelToken } from "./label-tokens.ts";
import { qualifiedNameProblems } from "../objects/qualified-name.ts";
import { byText, type LabelOperator, type LabelRequirement, operandProblems } from "./requirement.ts";

/**
 * Parses a label selector: requirements separated by commas. All of them must hold.
 *
 * `app`, `!app`, `app=web`, `app==web`, `app!=web`, `app in (web,db)`, `app notin (web)`, `n>5`, `n<5`. The empty text
 * matches everything. Throws {@link ParseError} with the position.
 */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelector(new Parser(text).selector());
}

/** A recursive descent parser with one token of lookahead. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly LabelToken[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = labelTokens(text);
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === "end") return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.kind === "end") return requirements;
      if (!isSymbol(after, ",")) throw this.#unexpected(after, "',' or the end");
    }
  }

  #requirement(): LabelRequirement {
    const isNegated = isSymbol(this.#peek(), "!");
    if (isNegated) this.#take();
    const key = this.#take();
    if (key.kind !== "word") throw this.#unexpected(key, isNegated ? "a label key" : "a label key or '!'");
    const [problem] = qualifiedNameProblems(key.text);
    if (problem !== undefined)
      throw this.#failure(key.offset, `${JSON.stringify(key.text)} is not a label key: ${problem}`);
    if (isNegated) return { key: key.text, operator: "!", values: [] };
    if (this.#isAtBreak()) return { key: key.text, operator: "exists", values: [] };
    return this.#comparison(key.text);
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#operator();
    const tokens = operator === "in" || operator === "notin" ? this.#valueSet() : [this.#value()];
    for (const token of tokens) {
      const [problem] = operandProblems(operator, token.text);
      if (problem !== undefined) {
        throw this.#failure(token.offset, `${JSON.stringify(token.text)} is not a valid value: ${problem}`);
      }
    }
    return { key, operator, values: [...new Set(tokens.map((token) => token.text))].sort(byText) };
  }

  #operator(): LabelOperator {
    const token = this.#take();
    const operator = operators.get(token.text);
    if (operator === undefined) throw this.#unexpected(token, "one of = == != in notin > <");
    return operator;
  }

  /** Parses the value after an operator such as `=`. It may be omitted, which means empty. */
  #value(): LabelToken {
    if (this.#isAtBreak()) return { kind: "word", text: "", offset: this.#peek().offset };
    const token = this.#take();
    if (token.kind !== "word") throw this.#unexpected(token, "a value");
    return token;
  }

  /** Parses the values in parentheses. A missing value before or after a comma is an empty value, as in `()`. */
  #valueSet(): LabelToken[] {
    const open = this.#take();
    if (!isSymbol(open, "(")) throw this.#unexpected(open, "'('");
    const values: LabelToken[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === "word") {
        values.push(token);
        const after = this.#take();
        if (isSymbol(after, ")")) return values;
        if (!isSymbol(after, ",")) throw this.#unexpected(after, "',' or ')'");
      } else {
        values.push({ kind: "word", text: "", offset: token.offset });
        if (isSymbol(token, ")")) return values;
        if (!isSymbol(token, ",")) throw this.#unexpected(token, "a value, ',' or ')'");
      }
    }
  }

  #isAtBreak(): boolean {
    const token = this.#peek();
    return token.kind === "end" || isSymbol(token, ",");
  }

  #peek(): LabelToken {
    // The fallback is for the type checker only: the list ends with the end token, and nothing is read beyond it.
    return this.#tokens[this.#at] ?? { kind: "end", text: "", offset: this.#text.length };
  }

  #take(): LabelToken {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #unexpected(token: LabelToken, expected: string): ParseError {
    const found = token.kind === "end" ? "the end" : `'${token.text}'`;
    return this.#failure(token.offset, `found ${found}, expected ${expected}`);
  }

  #failure(offset: number, problem: string): ParseError {
    return new ParseError({ what: "label selector", input: this.#text, offset, problem });
  }
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  ["in", "in"],
  ["notin", "notin"],
  [">", "gt"],
  ["<", "lt"],
]);

function isSymbol(token: LabelToken, text: string): boolean {
  return token.kind === "symbol" && token.text === text;
}
