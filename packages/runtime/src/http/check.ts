/** One thing that has to be right for a program to be live or ready. */
export interface Check {
  /** Such as `controller/tenants`: letters, digits, `-`, `.` and `/`. */
  readonly name: string;
  /** What is wrong now, beginning with a verb (`failed: no connection`); undefined when all is well. Must not wait. */
  problem(): string | undefined;
}

/** What several checks say together. */
export interface CheckReport {
  readonly isPassed: boolean;
  /** One line per check, `[+]name ok` or `[-]name failed: reason`, as an API server writes them, and a last one. */
  readonly text: string;
}

/** Asks every check. One that throws has failed. */
export function runChecks(title: string, checks: readonly Check[]): CheckReport {
  const results = checks.map((check) => ({ name: check.name, problem: problemOf(check) }));
  const isPassed = results.every(({ problem }) => problem === undefined);
  const lines = results.map(({ name, problem }) => (problem === undefined ? `[+]${name} ok` : `[-]${name} ${problem}`));
  return { isPassed, text: `${[...lines, `${title} check ${isPassed ? "passed" : "failed"}`].join("\n")}\n` };
}

function problemOf(check: Check): string | undefined {
  try {
    return check.problem()?.replace(/\s+/g, " ");
  } catch (error) {
    return `failed: the check itself threw ${error instanceof Error ? error.name : typeof error}`;
  }
}
