import { ArgumentError, type ResourceType } from "@homeostat/core";
import { Event, type EventSeries } from "@homeostat/kubernetes/events/v1";
import type { EventSink } from "./event-sink.ts";

/** The part of a client that is used to send events. */
export interface EventClient {
  create(type: ResourceType<Event>, event: Event, options: EventCall): Promise<Event>;
  patch(type: ResourceType<Event>, name: EventName, change: SeriesPatch, options: EventCall): Promise<Event>;
}

/** Name and namespace of an event. */
export interface EventName {
  readonly name: string;
  readonly namespace: string;
}

/** The only change that the API server allows to an event. */
export interface SeriesPatch {
  readonly merge: { readonly series: EventSeries };
}

/** Options of each request. */
export interface EventCall {
  readonly signal: AbortSignal;
}

/** Returns a sink that sends events to an API server. */
export function clientEventSink(client: EventClient): EventSink {
  return {
    create: (event, signal) => client.create(Event, event, { signal }),
    patch: async (event, signal) => {
      const { metadata, series } = event;
      const { name, namespace } = metadata;
      if (name === undefined || namespace === undefined || series === undefined)
        throw new ArgumentError({ argument: "event", problem: "must have a name, a namespace and a series." });
      return client.patch(Event, { name, namespace }, { merge: { series } }, { signal });
    },
  };
}
