// Error messages of kube-apiserver for invalid selectors. @homeostat/core parses selectors; these functions parse an
// invalid one again, as Go does, only to find the message.

import { labelValueProblems, qualifiedNameProblems } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { compareBytes } from "../codec/go-text.ts";

type Token = { readonly kind: "word" | "symbol" | "end"; readonly text: string };

const end: Token = { kind: "end", text: "" };
const operators = ["in", "notin", "=", "==", "!=", "gt", "lt"];
const binary = new Set(["in", "notin", "=", "==", "!=", ">", "<"]);

/** Returns kube-apiserver's message for an invalid label selector; empty if Go would accept it. */
export function labelSelectorError(text: string): string {
  const tokens = tokensOf(text);
  let at = 0;
  const peek = (): Token => tokens[at] ?? end;
  const take = (): Token => tokens[at++] ?? end;
  for (;;) {
    const first = peek();
    if (first.kind === "end") return "";
    if (first.kind !== "word" && first.text !== "!") {
      return `found '${first.text}', expected: !, identifier, or 'end of string'`;
    }
    const problem = requirementError(peek, take);
    if (problem !== undefined) return `unable to parse requirement: ${problem}`;
    const after = take();
    if (after.kind === "end") return "";
    if (after.text !== ",") return `found '${after.text}', expected: ',' or 'end of string'`;
    const next = peek();
    if (next.kind !== "word" && next.text !== "!") return `found '${next.text}', expected: identifier after ','`;
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  // Go's lexer stops at a zero byte.
  const zero = text.indexOf("\0");
  const pattern = /==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g;
  for (const [token] of (zero === -1 ? text : text.slice(0, zero)).matchAll(pattern)) {
    tokens.push({ kind: /^[=!(),<>]/.test(token) ? "symbol" : "word", text: token });
  }
  return tokens;
}

type Next = () => Token;

function requirementError(peek: Next, take: Next): string | undefined {
  let key = take();
  const isNegated = key.text === "!" && key.kind === "symbol";
  if (isNegated) key = take();
  if (key.kind !== "word") return `found '${key.text}', expected: identifier`;
  const keyProblems = qualifiedNameProblems(key.text);
  if (keyProblems.length > 0) return `<nil>: Invalid value: ${quote(key.text)}: ${keyProblems.join("; ")}`;
  if (isNegated || isBreak(peek())) return undefined;
  const operator = take();
  if (!binary.has(operator.text)) return `found '${operator.text}', expected: ${operators.join(", ")}`;
  const isSet = operator.text === "in" || operator.text === "notin";
  const values = isSet ? valueSet(peek, take) : exactValue(peek, take);
  if (typeof values === "string") return values;
  const isNumber = operator.text === ">" || operator.text === "<";
  return valueError(key.text, [...new Set(values)].sort(compareBytes), isNumber);
}

function exactValue(peek: Next, take: Next): string[] | string {
  if (isBreak(peek())) return [""];
  const token = take();
  return token.kind === "word" ? [token.text] : `found '${token.text}', expected: identifier`;
}

function valueSet(peek: Next, take: Next): string[] | string {
  const open = take();
  if (open.text !== "(") return `found '${open.text}' expected: '('`;
  const first = peek();
  if (first.kind === "end" || (first.kind === "symbol" && first.text !== "," && first.text !== ")")) {
    return `found '${first.text}', expected: ',', ')' or identifier`;
  }
  if (first.text === ")" && first.kind === "symbol") {
    take();
    return [""];
  }
  const values: string[] = [];
  for (;;) {
    const token = take();
    const next = peek();
    if (token.kind === "word") {
      values.push(token.text);
      if (next.text !== "," && next.text !== ")") return `found '${next.text}', expected: ',' or ')'`;
    } else if (token.text === ",") {
      if (values.length === 0 || next.text === ")" || next.text === ",") values.push("");
    } else return `found '${token.text}', expected: ',', or identifier`;
    if (next.text === ")" && next.kind === "symbol") {
      take();
      return values;
    }
  }
}

function valueError(key: string, values: readonly string[], isNumber: boolean): string | undefined {
  const invalid = (path: string, value: string, why: string): string =>
    `${path}: Invalid value: ${quote(value)}: ${why}`;
  const problems = [
    ...values.flatMap((value, index) =>
      isNumber && !/^[+-]?\d{1,19}$/.test(value)
        ? [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
        : [],
    ),
    ...values.flatMap((value, index) => {
      const found = labelValueProblems(value);
      return found.length > 0 ? [invalid(`values[${index}][${key}]`, value, found.join("; "))] : [];
    }),
  ];
  return problems.length < 2 ? problems[0] : `[${problems.join(", ")}]`;
}

function isBreak(token: Token): boolean {
  return token.kind === "end" || (token.kind === "symbol" && token.text === ",");
}

/** Returns kube-apiserver's message for an invalid field selector. */
export function fieldSelectorError(text: string): string {
  for (const term of termsOf(text).sort(compareBytes)) {
    if (term === "") continue;
    const operator = /!=|==|=/.exec(term);
    if (operator === null) return `invalid selector: '${text}'; can't understand '${term}'`;
    const problem = fieldValueError(term.slice(operator.index + operator[0].length));
    if (problem !== undefined) return `invalid field selector: ${problem}`;
  }
  return `invalid selector: '${text}'`;
}

function termsOf(text: string): string[] {
  return Array.from(text.matchAll(/((?:\\[^]?|[^\\,])*)(?:,|$)/g), ([, term = ""]) => term);
}

function fieldValueError(value: string): string | undefined {
  for (const [part] of value.matchAll(/\\[^]?|[,=]/gu)) {
    if (!part.startsWith("\\")) return `unescaped character in value: ${part.codePointAt(0)}`;
    if (!/^\\[\\,=]$/.test(part)) return `invalid escape sequence: ${part}`;
  }
  return undefined;
}
