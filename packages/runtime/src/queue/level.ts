import type { Entry } from "./entry.ts";

/** The keys of one priority. */
export class Level {
  readonly priority: number;
  /** Number of waiting keys, including those held back while they are being processed. */
  depth = 0;
  /** First and last of the ready entries, in the order in which they got this priority. Managed by the ready list. */
  first: Entry | undefined = undefined;
  last: Entry | undefined = undefined;

  constructor(priority: number) {
    this.priority = priority;
  }
}
