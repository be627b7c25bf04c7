import { HomeostatError } from "@homeostat/core";

/** A problem of an expression that does not compile. */
export interface CelIssue {
  /** Offset into the source, in UTF-16 code units. */
  readonly offset: number;
  /** Line, starting at 1; -1 if the problem concerns the whole source. */
  readonly line: number;
  /** Column in code points, starting at 1; 0 if the problem concerns the whole source. */
  readonly column: number;
  readonly message: string;
}

/** Parameters of a {@link CelCompileError}. */
export interface CompileFailure {
  readonly source: string;
  readonly issues: readonly CelIssue[];
  /** Number of problems that `issues` omits. Default 0. */
  readonly omitted?: number;
  readonly stage?: "compilation" | "instantiation";
}

/**
 * Thrown when an expression cannot be parsed, does not type-check, or can never be evaluated.
 *
 * `issues` has at most 100 problems, sorted by position. The message is that of the API server for the same expression, without
 * the prefix "compilation failed: " or "program instantiation failed: ".
 */
export class CelCompileError extends HomeostatError {
  readonly code = "CEL_COMPILE";
  readonly source: string;
  readonly issues: readonly CelIssue[];
  /** `compilation`: parsing or type-checking failed. `instantiation`: evaluating a constant part failed. */
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
  /** Cost of the evaluation until it failed; 0 if the cost was not tracked. */
  readonly cost: number;

  constructor(message: string, options: ErrorOptions & { readonly cost?: number } = {}) {
    super(message, options);
    this.cost = options.cost ?? 0;
  }
}

const snippetMax = 16_384;

/** Formats issues as the API server does: position and message, then the source line with a mark below the position. */
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
