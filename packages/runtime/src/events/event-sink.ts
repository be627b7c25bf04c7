import type { Event } from "@homeostat/kubernetes/events/v1";

/** Where events go: an API server, or a list in tests. */
export interface EventSink {
  /** Creates an event. Rejects with `AlreadyExistsError` when one of that name exists. */
  create(event: Event, signal: AbortSignal): Promise<unknown>;
  /**
   * Writes the `series` of an event that exists, and nothing else of it: the rest cannot be changed. Rejects with
   * `NotFoundError` when it is gone; events live for an hour, unless the server is told otherwise.
   */
  patch(event: Event, signal: AbortSignal): Promise<unknown>;
}
