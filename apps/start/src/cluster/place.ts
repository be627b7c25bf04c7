import type { Client, Connection } from "@homeostat/client";
import type { Made } from "./apply-all.ts";
import type { Operator, OperatorManagerOptions } from "@homeostat/operator";

/** A cluster that operators can be run on. */
export interface Place extends AsyncDisposable {
  /** What it is, for people: `Kubernetes v1.36.3 (embedded)`. */
  readonly title: string;
  readonly url: string;
  /** The kubeconfig by which others reach it. */
  readonly kubeconfig: string;
  /** A client with all rights that its user has. */
  readonly client: Client;
  /** Makes what an operator needs before it starts: its kinds, and where it is possible its rights and webhooks. */
  install(operator: Operator, signal: AbortSignal): Promise<void>;
  /** How the operator's manager is made here, beside its own settings. */
  managerOptions(operator: Operator): ManagerPlace;
  /** Takes back what was made, and the kinds that `install` made, as far as they are nobody else's. */
  takeBack(
    made: readonly Made[],
    exhibits: readonly { readonly operator: Operator }[],
    signal: AbortSignal,
  ): Promise<void>;
}

/** How a manager runs at a place. */
export interface ManagerPlace extends Pick<OperatorManagerOptions, "run" | "webhooks"> {
  readonly connection: Connection;
}
