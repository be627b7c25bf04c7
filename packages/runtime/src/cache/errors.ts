import { HomeostatError } from "@homeostat/core";

/** Thrown when an event is read after its handler has returned, without `keep()`. */
export class EventExpiredError extends HomeostatError {
  readonly code = "EVENT_EXPIRED";

  constructor(key: string) {
    super(
      `The event for ${key} was read after its handler had returned. Read its objects within the handler, or call keep() there.`,
    );
  }
}

/** Thrown when an informer handle is used after it was disposed of. */
export class InformerClosedError extends HomeostatError {
  readonly code = "INFORMER_CLOSED";

  constructor(what: string) {
    super(`The informer for ${what} was disposed of. Call cache.informer() for a new one.`);
  }
}
