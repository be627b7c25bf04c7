// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Event is a report of an event somewhere in the cluster. It generally denotes some state change in the system. */
export interface Event {
  apiVersion: "events.k8s.io/v1";
  kind: "Event";
  metadata: metaV1.ObjectMeta;
  /** action is what action was taken/failed regarding to the regarding object. */
  action?: string;
  /** @deprecated deprecatedCount is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedCount?: number;
  /**
   * @deprecated deprecatedFirstTimestamp is the deprecated field assuring backward compatibility with core.v1 Event
   * type.
   */
  deprecatedFirstTimestamp?: metaV1.Time;
  /**
   * @deprecated deprecatedLastTimestamp is the deprecated field assuring backward compatibility with core.v1 Event
   * type.
   */
  deprecatedLastTimestamp?: metaV1.Time;
  /** @deprecated deprecatedSource is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedSource?: coreV1.EventSource;
  /** eventTime is the time when this Event was first observed. It is required. */
  eventTime: metaV1.MicroTime;
  /**
   * note is a human-readable description of the status of this operation. Maximal length of the note is 1kB, but
   * libraries should be prepared to handle values up to 64kB.
   */
  note?: string;
  /** reason is why the action was taken. It is human-readable. */
  reason?: string;
  /**
   * regarding contains the object this Event is about. In most cases it's an Object reporting controller implements,
   * e.g. ReplicaSetController implements ReplicaSets and this event is emitted because it acts on some changes in a
   * ReplicaSet object.
   */
  regarding?: coreV1.ObjectReference;
  /**
   * related is the optional secondary object for more complex actions. E.g. when regarding object triggers a creation
   * or deletion of related object.
   */
  related?: coreV1.ObjectReference;
  /** reportingController is the name of the controller that emitted this Event, e.g. `kubernetes.io/kubelet`. */
  reportingController?: string;
  /** reportingInstance is the ID of the controller instance, e.g. `kubelet-xyzf`. */
  reportingInstance?: string;
  /** series is data about the Event series this event represents or nil if it's a singleton Event. */
  series?: EventSeries;
  /** type is the type of this event (Normal, Warning), new types could be added in the future. */
  type?: string;
}

/** The resource `events` of `events.k8s.io/v1`. */
export const Event: BuiltInResource<Event, "Namespaced"> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  singular: "event",
  scope: "Namespaced",
  shortNames: ["ev"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** EventList is a list of Event objects. */
export interface EventList {
  apiVersion: "events.k8s.io/v1";
  kind: "EventList";
  metadata: metaV1.ListMeta;
  /** items is a list of schema objects. */
  items: Event[];
}

/** EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time. */
export interface EventSeries {
  /** count is the number of occurrences in this series up to the last heartbeat time. */
  count: number;
  /** lastObservedTime is the time when last Event from the series was seen before last heartbeat. */
  lastObservedTime: metaV1.MicroTime;
}
