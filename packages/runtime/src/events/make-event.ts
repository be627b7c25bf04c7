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

/** What happened to an object, and what was done about it. */
export interface EventRecord {
  readonly type: "Normal" | "Warning";
  /** Why, as one word for programs: `"CreateFailed"`. At most 128 bytes. */
  readonly reason: string;
  /** What was done or tried, as one word: `"CreateJob"`. At most 128 bytes. */
  readonly action: string;
  /**
   * The story, for people. Whoever may read events of the namespace can read it, so keep secrets out. Control characters
   * are shown as escapes, and what is beyond 1,024 bytes is cut.
   */
  readonly note: string;
  /** Another object that has a part in it. */
  readonly related?: EventSubject;
  /** Who reports it, when that is not the recorder's own name. */
  readonly reportingController?: string;
}

/** An object as it is read from a server or a cache. */
export type EventSubject = DeepReadonly<KubeObject>;

/** Who reports, and when. */
export interface EventStamp {
  readonly reportingController: string;
  readonly reportingInstance: string;
  /** A MicroTime. */
  readonly time: string;
  readonly name: string;
}

/** The longest reason, action and reporting instance that the server takes, in bytes. */
export const wordBytesMax = 128;

/** The event that a record stands for, not counted yet. Throws `ArgumentError` for what the server would refuse. */
export function makeEvent(subject: EventSubject, record: EventRecord, stamp: EventStamp): Event {
  checkWord("reason", record.reason);
  checkWord("action", record.action);
  const regarding = referenceTo("object", subject);
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    // Objects without a namespace have theirs in `default`: the server takes them nowhere else.
    metadata: { name: stamp.name, namespace: regarding.namespace ?? "default" },
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

/** Refuses a word that is empty or too long. */
export function checkWord(argument: string, word: string): void {
  if (word !== "" && utf8Bytes(word.slice(0, wordBytesMax + 1)) <= wordBytesMax) return;
  const problem = `must be a word of 1 to ${wordBytesMax} bytes; say more in the note.`;
  throw new ArgumentError({ argument, problem });
}

/** A name for an event, as client-go makes them: that of the object and the time in hexadecimal; or a UUID, if too long. */
export function eventName(object: string, nanoseconds: bigint, random: Random): string {
  const name = `${object}.${nanoseconds.toString(16)}`;
  return dnsSubdomainProblems(name).length === 0 ? name : uuid(random);
}

function referenceTo(argument: string, { apiVersion, kind, metadata }: EventSubject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (name === undefined || name === "" || kind === "" || apiVersion === "") {
    const problem = "has no apiVersion, kind or name; an event needs an object that exists.";
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
