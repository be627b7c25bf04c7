import { ArgumentError, type ResourceType } from "@homeostat/core";
import { Event, type EventSeries } from "@homeostat/kubernetes/events/v1";
import type { EventSink } from "./event-sink.ts";

/** The part of a client that events are sent with. */
export interface EventClient {
  create(type: ResourceType<Event>, event: Event, options: EventCall): Promise<Event>;
  patch(type: ResourceType<Event>, name: EventName, change: SeriesPatch, options: EventCall): Promise<Event>;
}

/** Which event. */
export interface EventName {
  readonly name: string;
  readonly namespace: string;
}

/** The only change that an event allows. */
export interface SeriesPatch {
  readonly merge: { readonly series: EventSeries };
}

/** What each call is given. */
export interface EventCall {
  readonly signal: AbortSignal;
}

/** Sends events to an API server. */
export function clientEventSink(client: EventClient): EventSink {
  return {
    create: (event, signal) => client.create(Event, event, { signal }),
    patch: async (event, signal) => {
      const { metadata, series } = event;
      const { name, namespace } = metadata;
      if (name === undefined || namespace === undefined || series === undefined)
        throw new ArgumentError({ argument: "event", problem: "has no name, namespace or series to write." });
      return client.patch(Event, { name, namespace }, { merge: { series } }, { signal });
    },
  };
}
