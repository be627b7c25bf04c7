import { HomeostatError } from "@homeostat/core";

/** Thrown when something is asked of an operator that only its manager can give, before it runs. */
export class NotRunningError extends HomeostatError {
  readonly code = "NOT_RUNNING";

  constructor(what: string) {
    super(`The operator does not run yet, so there is no ${what}. Run it, and ask again.`);
  }
}

/**
 * What the parts of an operator need and only its manager has: a client, a way to the server. The parts are given this when
 * the operator is defined; a service puts the thing in when the manager is made.
 *
 * @example
 * const client = new Late<Client>("client");
 * defineOperator({ webhooks: [siteWebhook(client)], services: [(tools) => (client.set(tools.unfencedClient), feed(tools))] });
 */
export class Late<T extends object> {
  readonly #what: string;
  #value: T | undefined;

  /** The name of what is awaited, as it stands in the message when it is asked for too early. */
  constructor(what: string) {
    this.#what = what;
  }

  set(value: T): void {
    this.#value = value;
  }

  /** The thing. Throws NotRunningError as long as nobody has put it in. */
  get(): T {
    if (this.#value === undefined) throw new NotRunningError(this.#what);
    return this.#value;
  }
}
