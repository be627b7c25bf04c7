import { HomeostatError } from "@homeostat/core";

/** One problem of an expression that does not compile. */
export interface CelIssue {
  /** Where it is: an offset into the source in UTF-16 code units. */
  readonly offset: number;
  /** The line, counted from 1; -1 when the problem concerns the whole source. */
  readonly line: number;
  /** The column, counted from 1 in code points; 0 when the problem concerns the whole source. */
  readonly column: number;
  readonly message: string;
}

/** What a {@link CelCompileError} is made of. */
export interface CompileFailure {
  readonly source: string;
  readonly issues: readonly CelIssue[];
  /** How many further problems `issues` leaves out. */
  readonly omitted?: number;
  readonly stage?: "compilation" | "instantiation";
}

/**
 * Thrown when an expression cannot be parsed, does not type-check, or can never be evaluated.
 *
 * `issues` holds the problems found, a hundred at most, in the order of their places. The message is the API server's for the same
 * expression, without the "compilation failed: " or "program instantiation failed: " before it.
 */
export class CelCompileError extends HomeostatError {
  readonly code = "CEL_COMPILE";
  readonly source: string;
  readonly issues: readonly CelIssue[];
  /** Where it failed: reading and checking the expression, or evaluating its constant parts. */
  readonly stage: "compilation" | "instantiation";

  constructor({ source, issues, omitted = 0, stage = "compilation" }: CompileFailure, options?: ErrorOptions) {
    super(stage === "compilation" ? formatIssues(source, issues, omitted) : (issues[0]?.message ?? ""), options);
    this.source = source;
    this.issues = issues;
    this.stage = stage;
  }
}

/**
 * Thrown when evaluation ends in an error: a missing key, a division by zero, a cost limit reached.
 *
 * The message is the one the API server reports for the same expression and data.
 */
export class CelEvaluationError extends HomeostatError {
  readonly code = "CEL_EVALUATION";
  /** What the evaluation cost until it failed; 0 when cost was not counted. */
  readonly cost: number;

  constructor(message: string, options: ErrorOptions & { readonly cost?: number } = {}) {
    super(message, options);
    this.cost = options.cost ?? 0;
  }
}

const snippetMax = 16_384;

/** All issues in the form the API server prints: the place, the message, the line and a mark below it. */
function formatIssues(source: string, issues: readonly CelIssue[], omitted: number): string {
  const lines = source.split("\n");
  const shown = issues.map((issue) => formatIssue(issue, lines[issue.line - 1]));
  return [...shown, ...(omitted > 0 ? [`${omitted} more errors were truncated`] : [])].join("\n");
}

function formatIssue(issue: CelIssue, line: string | undefined): string {
  const head = `ERROR: <input>:${issue.line}:${issue.column}: ${issue.message}`;
  if (line === undefined || line.length > snippetMax) return head;
  const characters = Array.from(line.replaceAll("\t", " "));
  const dots = characters.slice(0, issue.column - 1).map((character) => (isAscii(character) ? "." : "\uff0e"));
  const under = characters[issue.column - 1] ?? "";
  return `${head}\n | ${characters.join("")}\n | ${dots.join("")}${isAscii(under) ? "^" : "\uff3e"}`;
}

function isAscii(character: string): boolean {
  return (character.codePointAt(0) ?? 0) < 0x80;
}
