import type { Event } from "@homeostat/kubernetes/events/v1";

/** The destination of events: an API server, or a list in tests. */
export interface EventSink {
  /** Creates an event. Rejects with `AlreadyExistsError` if one of that name exists. */
  create(event: Event, signal: AbortSignal): Promise<unknown>;
  /**
   * Updates the `series` of an existing event and nothing else, since the other fields are immutable. Rejects with
   * `NotFoundError` if the event no longer exists; API servers delete events after an hour by default.
   */
  patch(event: Event, signal: AbortSignal): Promise<unknown>;
}
