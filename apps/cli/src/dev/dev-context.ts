import type { Clock } from "@homeostat/core";

/** Parts of the process that the command uses. */
export interface DevContext {
  readonly print: (line: string) => void;
  /** Writes the output of the operator as it is. */
  readonly write: (text: string) => void;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
