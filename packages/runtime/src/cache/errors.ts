import { HomeostatError } from "@homeostat/core";

/** Thrown when an event is read after the call it was given to has returned, without having been kept. */
export class EventExpiredError extends HomeostatError {
  readonly code = "EVENT_EXPIRED";

  constructor(key: string) {
    super(`The event about ${key} was read too late. Read its objects while handling it, or call keep() first.`);
  }
}

/** Thrown when an informer is used after it was disposed of. */
export class InformerClosedError extends HomeostatError {
  readonly code = "INFORMER_CLOSED";

  constructor(what: string) {
    super(`The informer of ${what} was disposed of. Ask the cache for a new one.`);
  }
}
