/** Result of one check. A problem makes the command fail; a note is about something that only some tasks need. */
export interface Finding {
  readonly state: "ok" | "note" | "problem";
  /** A sentence: what was found, what it prevents, and what to do. */
  readonly text: string;
}

/** Findings about this machine or a cluster. */
export interface Findings {
  readonly about: string;
  readonly findings: readonly Finding[];
}

/** Returns the findings as lines, with the states in a column. */
export function findingLines({ about, findings }: Findings): string[] {
  return [about, ...findings.map(({ state, text }) => `  ${state.padEnd(7)}  ${text}`)];
}
