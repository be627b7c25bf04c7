import type { CelIssue } from "../errors.ts";

/** The offset of a problem that concerns the whole source. The API server prints it as place -1:0. */
export const nowhere = -1;

/** A problem at an offset of the source, before line and column are known. */
export interface Problem {
  readonly offset: number;
  readonly message: string;
}

/** The most issues that one error lists. */
export const issuesMax = 100;

/** The problems as issues with line and column, in the order of their places; the first hundred. */
export function toIssues(source: string, problems: readonly Problem[]): CelIssue[] {
  const ordered = problems.slice(0, issuesMax).sort((a, b) => a.offset - b.offset);
  const issues: CelIssue[] = [];
  let line = 1;
  let column = 1;
  let at = 0;
  for (const { offset, message } of ordered) {
    if (offset === nowhere) {
      issues.push({ offset: 0, line: -1, column: 0, message });
      continue;
    }
    for (; at < offset; at++) {
      const unit = source.charCodeAt(at);
      if (unit === 0x0a) {
        line++;
        column = 1;
      } else if (unit < 0xdc00 || unit > 0xdfff) {
        // The second half of a surrogate pair is not a character of its own.
        column++;
      }
    }
    issues.push({ offset, line, column, message });
  }
  return issues;
}
