import { HomeostatError } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import type { ServiceTools } from "@homeostat/runtime";
import type { ReadNamespace } from "./foreign-namespace.ts";

/** Thrown when a namespace is to be read before the operator has a way to the API server. */
export class NotRunningError extends HomeostatError {
  readonly code = "NO_TRANSPORT";
}

/** Reads namespaces by a client that is known only when the manager is made. */
export class LateReader {
  #client: ServiceTools["unfencedClient"] | undefined;

  set(client: ServiceTools["unfencedClient"]): void {
    this.#client = client;
  }

  readonly read: ReadNamespace = async (name, signal) => {
    if (this.#client === undefined) throw new NotRunningError("The operator does not run yet. Run it, and ask again.");
    return this.#client.get(Namespace, { name }, { signal });
  };
}
