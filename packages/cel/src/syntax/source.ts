import type { CelIssue } from "../errors.ts";

/** Offset of a problem that concerns the whole source. The API server prints its position as -1:0. */
export const wholeSource = -1;

/** A problem at an offset of the source, without line and column. */
export interface Problem {
  readonly offset: number;
  readonly message: string;
}

/** Maximum number of issues in one error. */
export const issuesMax = 100;

/** Converts problems to issues with line and column, sorted by position. Returns at most `issuesMax`. */
export function toIssues(source: string, problems: readonly Problem[]): CelIssue[] {
  const ordered = problems.slice(0, issuesMax).sort((a, b) => a.offset - b.offset);
  const issues: CelIssue[] = [];
  let line = 1;
  let column = 1;
  let at = 0;
  for (const { offset, message } of ordered) {
    if (offset === wholeSource) {
      issues.push({ offset: 0, line: -1, column: 0, message });
      continue;
    }
    for (; at < offset; at++) {
      const unit = source.charCodeAt(at);
      if (unit === 0x0a) {
        line++;
        column = 1;
      } else if (unit < 0xdc00 || unit > 0xdfff) {
        // Columns count code points, so the second half of a surrogate pair does not count.
        column++;
      }
    }
    issues.push({ offset, line, column, message });
  }
  return issues;
}
