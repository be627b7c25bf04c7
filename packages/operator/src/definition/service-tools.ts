import type { Client } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import type { AccessRule, Logger, Registry } from "@homeostat/runtime";

/** Something that runs beside the controllers. */
export interface Service {
  readonly name: string;
  readonly when: "always" | "leading";
  run(signal: AbortSignal): Promise<void>;
  isReady?(): boolean;
  readonly access?: readonly AccessRule[];
}

/** What a service of an operator is given to work with. */
export interface ServiceTools {
  /** Writes only while this process leads, where there is an election. */
  readonly client: Client;
  readonly log: Logger;
  readonly registry: Registry;
  readonly clock: Clock;
  /** The namespace that the program itself lives in. */
  readonly namespace: string;
}
