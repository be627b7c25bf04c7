// Longer than most files: a recursive descent parser with one method per grammar rule. It is one class because all methods share the
// token position.

import type { CelValue } from "../values/value.ts";
import type { Expr, FieldEntry, MapEntry } from "./ast.ts";
import { DepthLimit, TooDeep } from "./depth.ts";
import { NodeIds, PlacedFactory, TooManyNodes } from "./factory.ts";
import { tokenize } from "./lexer.ts";
import { BadLiteral, readBytes, readFloat, readInt, readText, readUint } from "./literal.ts";
import { MacroProblem, macroKey, type MacroDeclaration, type MacroTable } from "./macro.ts";
import { wholeSource, type Problem } from "./source.ts";
import { formatKinds, type Token, type TokenKind } from "./token.ts";

/** The parts of an environment that the parser depends on. */
export interface ParserOptions {
  readonly macros: MacroTable;
  /** True to allow `a.?b`, `a[?b]`, `[?x]` and `{?k: v}`. */
  readonly optionalSyntax: boolean;
}

/** A parsed expression, or its problems. */
export type ParseResult =
  | { readonly expr: Expr; readonly ids: NodeIds; readonly problems?: undefined }
  | { readonly expr?: undefined; readonly problems: readonly Problem[] };

const sourceCodePointsMax = 100_000;

/** Parses an expression and expands its macros. */
export function parse(source: string, options: ParserOptions): ParseResult {
  // A string never has more code points than code units, so only long sources need counting.
  const size = source.length <= sourceCodePointsMax ? source.length : Array.from(source).length;
  if (size > sourceCodePointsMax) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${sourceCodePointsMax}`;
    return { problems: [{ offset: wholeSource, message }] };
  }
  return new Parser(source, options).parse();
}

/** Thrown after a syntax error was recorded from which the parser cannot recover. */
class SyntaxStop extends Error {}

// A shared instance: it never leaves the parser, and creating an error with a stack is slow.
const syntaxStop = new SyntaxStop("the first syntax error is recorded");

/** A node and its height: the maximum number of nested operators, selections and calls. */
interface Parsed {
  readonly expr: Expr;
  readonly height: number;
}

const reservedNames: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

const expressionStart: readonly TokenKind[] = [
  ...(["[", "{", "(", ".", "-", "!", "true", "false", "null"] as const),
  ...(["NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER"] as const),
];

const itemStart: readonly TokenKind[] = [...expressionStart, "?"];
const fieldStart: readonly TokenKind[] = ["?", "IDENTIFIER", "ESC_IDENTIFIER"];

const precedences: Readonly<Record<"relation" | "calc", ReadonlyMap<TokenKind, number>>> = {
  relation: new Map((["<", "<=", ">=", ">", "==", "!=", "in"] as const).map((kind) => [kind, 1])),
  calc: new Map<TokenKind, number>([
    ...(["+", "-"] as const).map((kind) => [kind, 1] as const),
    ...(["*", "/", "%"] as const).map((kind) => [kind, 2] as const),
  ]),
};

const literalReaders: ReadonlyMap<TokenKind, (text: string, negative: boolean) => CelValue | BadLiteral> = new Map<
  TokenKind,
  (text: string, negative: boolean) => CelValue | BadLiteral
>([
  ["NUM_INT", readInt],
  ["NUM_UINT", readUint],
  ["NUM_FLOAT", readFloat],
  ["STRING", readText],
  ["BYTES", readBytes],
]);

class Parser {
  readonly #source: string;
  readonly #options: ParserOptions;
  readonly #tokens: readonly Token[];
  readonly #problems: Problem[];
  readonly #ids: NodeIds = new NodeIds();
  readonly #depth: DepthLimit = new DepthLimit();
  #position = 0;

  constructor(source: string, options: ParserOptions) {
    const { tokens, errors } = tokenize(source);
    this.#source = source;
    this.#options = options;
    this.#tokens = tokens;
    this.#problems = errors.map(({ offset, message }) => ({ offset, message: `Syntax error: ${message}` }));
  }

  parse(): ParseResult {
    try {
      const { expr } = this.#expr();
      if (this.#token.kind !== "end") this.#unexpected(["end"]);
      return this.#problems.length === 0 ? { expr, ids: this.#ids } : { problems: this.#problems };
    } catch (error) {
      if (error instanceof TooDeep || error instanceof TooManyNodes) {
        this.#problems.push({ offset: wholeSource, message: error.message });
      } else if (!(error instanceof SyntaxStop)) {
        throw error;
      }
      return { problems: this.#problems };
    }
  }

  // Rules

  #expr(): Parsed {
    this.#depth.enter("expr");
    const condition = this.#or();
    const question = this.#accept("?");
    let result = condition;
    if (question !== undefined) {
      const ifTrue = this.#or();
      this.#expect(":");
      const ifFalse = this.#expr();
      result = this.#call("_?_:_", question.start, [condition, ifTrue, ifFalse]);
    }
    this.#depth.leave("expr");
    return result;
  }

  #or(): Parsed {
    const first = this.#and();
    return this.#token.kind === "||" ? this.#logic(first, "||", () => this.#and()) : first;
  }

  #and(): Parsed {
    const first = this.#relation();
    return this.#token.kind === "&&" ? this.#logic(first, "&&", () => this.#relation()) : first;
  }

  /** Parses `a && b && c` as one call with three arguments, so that long conditions do not become deep trees. */
  #logic(first: Parsed, operator: "&&" | "||", operand: () => Parsed): Parsed {
    const terms = [first];
    const offset = this.#token.start;
    while (this.#accept(operator) !== undefined) terms.push(operand());
    const exprs = terms.map((term) => term.expr);
    return { expr: this.#callExpr(`_${operator}_`, offset, undefined, exprs), height: highest(terms) };
  }

  #relation(): Parsed {
    return this.#operation("relation", 1);
  }

  /** Parses left-associative operators of one rule with at least the given precedence. */
  #operation(rule: "relation" | "calc", precedenceMin: number): Parsed {
    this.#depth.enter(rule);
    let left = rule === "relation" ? this.#operation("calc", 1) : this.#unary();
    for (;;) {
      const precedence = precedences[rule].get(this.#token.kind) ?? 0;
      if (precedence < precedenceMin) break;
      const { kind, start } = this.#take();
      left = this.#call(kind === "in" ? "@in" : `_${kind}_`, start, [left, this.#operation(rule, precedence + 1)]);
    }
    this.#depth.leave(rule);
    return left;
  }

  #unary(): Parsed {
    const { kind, start } = this.#token;
    if (kind !== "!" && kind !== "-") return this.#member();
    let count = 0;
    while (this.#token.kind === kind) {
      // A single minus is part of a following number. Otherwise the smallest int could not be written as a literal.
      if (kind === "-" && count === 0 && isNumber(this.#peek(1).kind)) return this.#member();
      this.#take();
      count++;
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return { expr: this.#callExpr(`${kind}_`, start, undefined, [operand.expr]), height: operand.height };
  }

  #member(): Parsed {
    this.#depth.enter("member");
    let parsed = this.#primary();
    for (;;) {
      const dot = this.#token.kind === "." || this.#token.kind === "[" ? this.#take() : undefined;
      if (dot === undefined) break;
      parsed = dot.kind === "." ? this.#afterDot(parsed, dot) : this.#index(parsed, dot);
    }
    this.#depth.leave("member");
    return parsed;
  }

  #afterDot(operand: Parsed, dot: Token): Parsed {
    const optional = this.#accept("?");
    const name = this.#fieldName(optional === undefined ? dot : undefined);
    if (optional === undefined && name.kind === "IDENTIFIER" && this.#token.kind === "(") {
      const open = this.#take();
      const args = this.#arguments();
      return this.#call(this.#text(name), open.start, args, operand);
    }
    const field = this.#plainName(name);
    const height = DepthLimit.above(operand.height);
    if (optional === undefined) {
      return { expr: { kind: "select", ...this.#at(dot.start), operand: operand.expr, field, test: false }, height };
    }
    if (!this.#options.optionalSyntax) return this.#bad(dot.start, "unsupported syntax '.?'");
    const literal: Expr = { kind: "literal", ...this.#at(name.start), value: field };
    return { expr: this.#callExpr("_?._", dot.start, undefined, [operand.expr, literal]), height };
  }

  #index(operand: Parsed, open: Token): Parsed {
    this.#expectOneOf(itemStart);
    const optional = this.#accept("?");
    const index = this.#expr();
    this.#expect("]");
    if (optional === undefined) return this.#call("_[_]", open.start, [operand, index]);
    if (!this.#options.optionalSyntax) return this.#bad(open.start, "unsupported syntax '[?'");
    return this.#call("_[?_]", open.start, [operand, index]);
  }

  #primary(): Parsed {
    const { kind } = this.#token;
    if (kind === "." || kind === "IDENTIFIER") return this.#name();
    if (kind === "[") return this.#list(this.#take());
    if (kind === "{") return this.#map(this.#take());
    if (kind !== "(") return this.#literal();
    this.#take();
    const inner = this.#expr();
    this.#expect(")");
    return inner;
  }

  #name(): Parsed {
    const first = this.#token;
    const dot = this.#accept(".");
    const name = this.#expect("IDENTIFIER");
    const end = this.#structOpening();
    if (end !== undefined) return this.#struct(dot, name, end);
    const text = this.#text(name);
    if (reservedNames.has(text)) {
      if (this.#accept("(") !== undefined) this.#arguments();
      return this.#bad(first.start, `reserved identifier: ${text}`);
    }
    const qualified = dot === undefined ? text : `.${text}`;
    const open = this.#accept("(");
    if (open !== undefined) return this.#call(qualified, open.start, this.#arguments());
    return { expr: { kind: "ident", ...this.#at(name.start), name: qualified }, height: 0 };
  }

  /** Returns how many tokens ahead the brace of an object literal such as `a.b.C{` is; undefined if there is none. */
  #structOpening(): number | undefined {
    let ahead = 0;
    while (this.#peek(ahead).kind === "." && this.#peek(ahead + 1).kind === "IDENTIFIER") ahead += 2;
    return this.#peek(ahead).kind === "{" ? ahead : undefined;
  }

  #struct(dot: Token | undefined, name: Token, ahead: number): Parsed {
    let typeName = `${dot === undefined ? "" : "."}${this.#text(name)}`;
    for (let skipped = 0; skipped < ahead; skipped += 2) {
      this.#take();
      typeName += `.${this.#text(this.#take())}`;
    }
    const open = this.#take();
    const fields: FieldEntry[] = [];
    let height = 0;
    this.#items("}", fieldStart, () => {
      const optional = this.#optionalMark();
      const field = this.#fieldName();
      const colon = this.#expect(":");
      const value = this.#expr();
      height = Math.max(height, value.height);
      fields.push({ ...this.#at(colon.start), field: this.#plainName(field), value: value.expr, optional });
    });
    return { expr: { kind: "struct", ...this.#at(open.start), name: typeName, fields }, height };
  }

  #list(open: Token): Parsed {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    let height = 0;
    this.#items("]", itemStart, () => {
      if (this.#optionalMark()) optional.add(elements.length);
      const element = this.#expr();
      height = Math.max(height, element.height);
      elements.push(element.expr);
    });
    return { expr: { kind: "list", ...this.#at(open.start), elements, optional }, height };
  }

  #map(open: Token): Parsed {
    const entries: MapEntry[] = [];
    let height = 0;
    this.#items("}", itemStart, () => {
      const optional = this.#optionalMark();
      const key = this.#expr();
      const colon = this.#expect(":");
      const value = this.#expr();
      height = Math.max(height, key.height, value.height);
      entries.push({ id: this.#at(colon.start).id, key: key.expr, value: value.expr, optional });
    });
    return { expr: { kind: "map", ...this.#at(open.start), entries }, height };
  }

  /** Parses comma-separated items up to a closing bracket, with an optional trailing comma. */
  #items(close: "]" | "}", starts: readonly TokenKind[], readItem: () => void): void {
    this.#expectOneOf([...starts, close, ","]);
    let more = starts.includes(this.#token.kind);
    if (!more) this.#accept(",");
    while (more) {
      readItem();
      this.#expectOneOf([close, ","]);
      more = this.#accept(",") !== undefined && starts.includes(this.#token.kind);
    }
    this.#expect(close);
  }

  #arguments(): Parsed[] {
    const args: Parsed[] = [];
    this.#expectOneOf([...expressionStart, ")"]);
    if (this.#accept(")") !== undefined) return args;
    do args.push(this.#expr());
    while (this.#accept(",") !== undefined);
    this.#expect(")");
    return args;
  }

  #literal(): Parsed {
    const start = this.#token.start;
    const negative = this.#token.kind === "-" && isNumber(this.#peek(1).kind);
    if (negative) this.#take();
    const token = this.#token;
    const value = this.#literalValue(token, negative);
    if (value === undefined) return this.#unexpected(expressionStart, () => this.#unary());
    this.#take();
    if (value instanceof BadLiteral) return this.#bad(start, value.message);
    return { expr: { kind: "literal", ...this.#at(start), value }, height: 0 };
  }

  #literalValue(token: Token, negative: boolean): CelValue | BadLiteral | undefined {
    const { kind } = token;
    if (kind === "true" || kind === "false") return kind === "true";
    if (kind === "null") return null;
    const read = literalReaders.get(kind);
    return read?.(this.#text(token), negative);
  }

  // Names

  #fieldName(dot?: Token): Token {
    const token = this.#token;
    if (token.kind === "IDENTIFIER" || token.kind === "ESC_IDENTIFIER") return this.#take();
    if (dot === undefined) return this.#unexpected(["IDENTIFIER", "ESC_IDENTIFIER"]);
    const reserved = token.kind === "true" || token.kind === "false" || token.kind === "null";
    const input = this.#source.slice(dot.start, token.end);
    return this.#stop(
      token.start,
      reserved
        ? `mismatched input '${token.kind}' expecting IDENTIFIER`
        : `no viable alternative at input '${input.trim()}'`,
    );
  }

  /** Returns the field name of a token. Reports names in backticks, a syntax that Kubernetes does not enable. */
  #plainName(token: Token): string {
    if (token.kind === "ESC_IDENTIFIER")
      this.#problems.push({ offset: token.start, message: "unsupported syntax: '`'" });
    return this.#text(token);
  }

  #optionalMark(): boolean {
    const mark = this.#accept("?");
    if (mark === undefined) return false;
    if (!this.#options.optionalSyntax) this.#bad(mark.start, "unsupported syntax '?'");
    return true;
  }

  // Nodes

  #at(offset: number): { readonly id: number; readonly offset: number } {
    return { id: this.#ids.next(), offset };
  }

  /** Returns a call or a macro expansion. Its height is one more than that of its parts, except for global functions. */
  #call(name: string, offset: number, args: readonly Parsed[], target?: Parsed): Parsed {
    const below = Math.max(target?.height ?? 0, highest(args));
    const isGlobal = target === undefined && !name.startsWith("_") && name !== "@in";
    const height = isGlobal ? below : DepthLimit.above(below);
    return {
      expr: this.#callExpr(
        name,
        offset,
        target?.expr,
        args.map((arg) => arg.expr),
      ),
      height,
    };
  }

  #callExpr(name: string, offset: number, target: Expr | undefined, args: readonly Expr[]): Expr {
    const macro = this.#options.macros.get(macroKey(name, args.length, target !== undefined));
    const expanded = macro === undefined ? undefined : this.#expand(macro, offset, target, args);
    return expanded ?? { kind: "call", ...this.#at(offset), name, target, args };
  }

  #expand(macro: MacroDeclaration, offset: number, target: Expr | undefined, args: readonly Expr[]): Expr | undefined {
    try {
      return macro.expand(new PlacedFactory(this.#ids, offset), args, target);
    } catch (error) {
      if (!(error instanceof MacroProblem)) throw error;
      return this.#bad(error.at.offset, error.message).expr;
    }
  }

  /** Records a problem after which parsing can continue, and returns a placeholder for the invalid part. */
  #bad(offset: number, message: string): Parsed {
    this.#problems.push({ offset, message });
    return { expr: { kind: "literal", ...this.#at(offset), value: null }, height: 0 };
  }

  // Tokens

  get #token(): Token {
    return this.#peek(0);
  }

  #peek(ahead: number): Token {
    const last = this.#tokens.length - 1;
    const token = this.#tokens[Math.min(this.#position + ahead, last)];
    if (token === undefined) throw new RangeError("the token list always ends in an end token");
    return token;
  }

  #take(): Token {
    const token = this.#token;
    this.#position++;
    return token;
  }

  #accept(kind: TokenKind): Token | undefined {
    return this.#token.kind === kind ? this.#take() : undefined;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#token;
    if (token.kind === kind) return this.#take();
    const closes = token.kind === "end" && (kind === ")" || kind === "]" || kind === "}");
    if (!closes && !(kind === ":" && expressionStart.includes(token.kind) && this.#peek(1).kind !== ":")) {
      return this.#unexpected([kind], () => this.#take());
    }
    // Continue as if the missing token were there, to find further problems.
    const shown = token.kind === "end" ? "<EOF>" : this.#text(token);
    this.#problems.push({ offset: token.start, message: `Syntax error: missing '${kind}' at '${shown}'` });
    return token;
  }

  /** Reports a token that is not of the expected kinds. Skips it if the next token is. */
  #expectOneOf(kinds: readonly TokenKind[]): void {
    if (!kinds.includes(this.#token.kind)) this.#unexpected(kinds, () => undefined);
  }

  #text(token: Token): string {
    return this.#source.slice(token.start, token.end);
  }

  /**
   * Reports an unexpected token. If the next token is of the expected kinds, skips the unexpected one and continues with `retry`.
   */
  #unexpected(expected: readonly TokenKind[]): never;
  #unexpected<T>(expected: readonly TokenKind[], retry: () => T): T;
  #unexpected<T>(expected: readonly TokenKind[], retry?: () => T): T {
    const token = this.#token;
    const shown = token.kind === "end" ? "<EOF>" : this.#text(token);
    const skippable = token.kind !== "end" && expected.includes(this.#peek(1).kind);
    const message = `${skippable ? "extraneous" : "mismatched"} input '${shown}' expecting ${formatKinds(expected)}`;
    if (!skippable || retry === undefined) return this.#stop(token.start, message);
    this.#problems.push({ offset: token.start, message: `Syntax error: ${message}` });
    this.#take();
    return retry();
  }

  #stop(offset: number, message: string): never {
    this.#problems.push({ offset, message: `Syntax error: ${message}` });
    throw syntaxStop;
  }
}

function highest(parts: readonly Parsed[]): number {
  return parts.reduce((height, part) => Math.max(height, part.height), 0);
}

function isNumber(kind: TokenKind): boolean {
  return kind === "NUM_INT" || kind === "NUM_FLOAT";
}
