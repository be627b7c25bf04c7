import type { DeepReadonly } from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/core/v1";
import type { EventView } from "../api/types.ts";

/** Returns an event for the page. */
export function eventView(event: DeepReadonly<Event>): EventView {
  const { metadata, involvedObject, series, source } = event;
  const { kind = "", namespace, name = "" } = involvedObject;
  return {
    uid: metadata.uid ?? "",
    type: event.type ?? "",
    reason: event.reason ?? "",
    message: event.message ?? "",
    count: series?.count ?? event.count ?? 1,
    at: series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? "",
    reporter: event.reportingComponent || source?.component || "",
    about: `${kind} ${namespace === undefined || namespace === "" ? "" : `${namespace}/`}${name}`,
  };
}
