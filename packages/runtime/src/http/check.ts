/** A condition for a program to be live or ready. */
export interface Check {
  /** Name such as `controller/tenants`: letters, digits, `-`, `.` and `/`. */
  readonly name: string;
  /**
   * Returns the current problem, starting with a verb (`failed: no connection`); undefined if there is none. Must
   * return at once.
   */
  problem(): string | undefined;
}

/** Result of several checks. */
export interface CheckReport {
  readonly isPassed: boolean;
  /**
   * One line per check, `[+]name ok` or `[-]name failed: reason`, in the form of the API server, and a summary line.
   */
  readonly text: string;
}

/** Runs all checks. A check that throws has failed. */
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
