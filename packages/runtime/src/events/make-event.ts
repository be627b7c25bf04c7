import {
  ArgumentError,
  type DeepReadonly,
  dnsSubdomainProblems,
  type KubeObject,
  type Random,
  uuid,
} from "@homeostat/core";
import type { ObjectReference } from "@homeostat/kubernetes/core/v1";
import type { Event } from "@homeostat/kubernetes/events/v1";
import { formatNote, utf8Bytes } from "./note.ts";

/** An event to record: what happened to an object and what was done about it. */
export interface EventRecord {
  readonly type: "Normal" | "Warning";
  /** Machine-readable reason in CamelCase: `"CreateFailed"`. At most 128 bytes. */
  readonly reason: string;
  /** The action that was taken or failed, in CamelCase: `"CreateJob"`. At most 128 bytes. */
  readonly action: string;
  /**
   * Description for users. Everyone who may read events of the namespace can read it, so it must not contain secrets.
   * Control characters are escaped, and text beyond 1,024 bytes is cut.
   */
  readonly note: string;
  /** A second object that is involved. */
  readonly related?: EventSubject;
  /** Name of the reporting controller, if it differs from the recorder's. */
  readonly reportingController?: string;
  /** Name of the limit that the event counts towards. Events of one object without a name share one limit. */
  readonly limit?: string;
  /** Annotations of the event. Repetitions that are counted in a series keep those of the first one. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Annotation of an event with the ID of the reconcile that recorded it first: its ID in logs, traces and the audit log. */
export const reconcileIdAnnotation = "homeostat.dev/reconcile-id";

/** An object as read from a server or a cache. */
export type EventSubject = DeepReadonly<KubeObject>;

/** Reporter, time and name of an event. */
export interface EventStamp {
  readonly reportingController: string;
  readonly reportingInstance: string;
  /** Time of the event as a `MicroTime`. */
  readonly time: string;
  readonly name: string;
}

/** Maximum length of reason, action and reporting instance in bytes, as validated by the API server. */
export const wordBytesMax = 128;

/**
 * Builds the event of a record, without a series. Throws `ArgumentError` for a record that the server would reject.
 */
export function makeEvent(subject: EventSubject, record: EventRecord, stamp: EventStamp): Event {
  checkWord("reason", record.reason);
  checkWord("action", record.action);
  const regarding = referenceTo("object", subject);
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    // Events about cluster-scoped objects must be in `default`; the API server rejects them elsewhere.
    metadata: {
      name: stamp.name,
      namespace: regarding.namespace ?? "default",
      ...(record.annotations === undefined ? {} : { annotations: { ...record.annotations } }),
    },
    eventTime: stamp.time,
    reportingController: record.reportingController ?? stamp.reportingController,
    reportingInstance: stamp.reportingInstance,
    type: record.type,
    reason: record.reason,
    action: record.action,
    note: formatNote(record.note),
    regarding,
    ...(record.related === undefined ? {} : { related: referenceTo("related", record.related) }),
  };
}

/** Throws if a word is empty or too long. */
export function checkWord(argument: string, word: string): void {
  if (word !== "" && utf8Bytes(word.slice(0, wordBytesMax + 1)) <= wordBytesMax) return;
  const problem = `must have 1 to ${wordBytesMax} bytes; put details into the note.`;
  throw new ArgumentError({ argument, problem });
}

/**
 * Returns a name for an event, like client-go: the object's name and the time in hexadecimal, or a UUID if that is not
 * a valid name.
 */
export function eventName(object: string, nanoseconds: bigint, random: Random): string {
  const name = `${object}.${nanoseconds.toString(16)}`;
  return dnsSubdomainProblems(name).length === 0 ? name : uuid(random);
}

function referenceTo(argument: string, { apiVersion, kind, metadata }: EventSubject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (name === undefined || name === "" || kind === "" || apiVersion === "") {
    const problem = "must have an apiVersion, a kind and a name; events can only be recorded for existing objects.";
    throw new ArgumentError({ argument, problem });
  }
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
