import type { Client } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import type { Manifest, Operator } from "@homeostat/operator";
import type { Screen } from "./view/screen.ts";

/** An operator, a sample of what it is for, and how to show what becomes of it. */
export interface Exhibit {
  readonly operator: Operator;
  /** What to type in another terminal to see the sample. */
  readonly look: (namespace: string) => string;
  readonly sample: (namespace: string) => Promise<readonly Manifest[]>;
  /** Refuses a cluster that it cannot be installed on, with an error that says why. */
  readonly check?: (client: Client, signal: AbortSignal) => Promise<void>;
  /** Shows what becomes of the sample until the signal aborts. */
  readonly show: (stage: Stage, signal: AbortSignal) => Promise<void>;
}

/** Where something is shown. */
export interface Stage {
  readonly client: Client;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly namespace: string;
  /** Writes a line that says when. */
  readonly say: (text: string) => void;
  /** To be called when the sample has come to its end, well or not. */
  readonly onEnd: (isWell: boolean) => void;
}
