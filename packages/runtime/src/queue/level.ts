import type { Entry } from "./entry.ts";

/** The keys of one priority. */
export class Level {
  readonly priority: number;
  /** How many of them wait, those included that wait for the end of their own run. */
  depth = 0;
  /** Those that are ready, in the order in which they came to this priority. Belong to the list of those ready. */
  first: Entry | undefined = undefined;
  last: Entry | undefined = undefined;

  constructor(priority: number) {
    this.priority = priority;
  }
}
