import type { Deleted, ObjectName, WriteResponse } from "@homeostat/client";
import {
  type Clock,
  type DeepReadonly,
  formatGroupResource,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import { isOfType } from "../cache/ticket.ts";
import { isRemoval, type WriteEvidence, type Writer } from "../cache/writes.ts";
import { changedFields, changedFieldsBy } from "./changed-fields.ts";
import { roughDigestOf } from "./digest.ts";
import type { ReconcileJournal, WriteNote } from "./journal.ts";

/** A successful write that has changed an object. */
export interface MadeChange {
  readonly verb: WriteNote["verb"];
  readonly resource: string;
  readonly key: string;
  readonly fields: readonly string[];
  /** Digest of the new values of the fields. */
  readonly digest: string;
  /** UID of the object, if the write seems to have created it. */
  readonly madeUid?: string | undefined;
}

/** Options of a {@link WriteRecorder}. */
export interface WriteRecorderOptions {
  readonly cache: Pick<Cache, "write">;
  /** Name of the writer in the cache. Watch events of its writes do not trigger its own reconciles. */
  readonly writer: Writer;
  readonly journal: ReconcileJournal;
  readonly clock: Clock;
  /** Returns the cached object before a write, for finding the changed fields. Default: changed fields are not determined. */
  readonly before?: ((type: ResourceType, key: ObjectKey) => DeepReadonly<KubeObject> | undefined) | undefined;
  /** Called for every write that is known to have changed an object. */
  readonly onChange?: ((change: MadeChange) => void) | undefined;
}

/** Verb and object of a write. */
export interface WriteSubject {
  readonly verb: WriteNote["verb"];
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly subresource?: string | undefined;
}

/** Details of a write for interpreting its response. */
export interface WriteDetails {
  /** Returns what the response proves about the object; see `WriteEvidence`. */
  readonly evidence: (response: WriteResponse) => WriteEvidence;
  /** The merge patch, if the write is one. */
  readonly merge?: unknown;
}

interface WriteOutcome {
  readonly known: DeepReadonly<KubeObject> | undefined;
  readonly response: WriteResponse;
  readonly proof: WriteEvidence;
  readonly merge: unknown;
}

/**
 * Records writes: announces each one to the cache before it is sent, passes the response to the cache, and adds the result to the journal.
 *
 * The announcement must come first. The watch event of a write can arrive before its response; the cache holds it back until the response tells
 * whether the event is the own write or that of another client.
 */
export class WriteRecorder {
  readonly #options: WriteRecorderOptions;

  constructor(options: WriteRecorderOptions) {
    this.#options = options;
  }

  /** Records a write whose response contains the object. */
  async write(
    about: WriteSubject,
    call: () => Promise<WriteResponse>,
    { evidence, merge }: WriteDetails,
  ): Promise<WriteResponse> {
    const { cache, writer, before, clock, journal } = this.#options;
    const key = keyIn(about);
    // A request without a name is rejected by the server, and the cache could not identify the object.
    const ticket = key.name === "" ? undefined : cache.write(about.type, key, writer);
    const target = targetOf(about);
    const begin = clock.monotonic();
    let note: (Pick<WriteNote, "result" | "fields"> & { readonly error?: unknown }) | undefined;
    try {
      const known = about.verb === "create" ? undefined : before?.(about.type, key);
      let response: WriteResponse;
      try {
        response = await call();
      } catch (error) {
        note = { result: "failed", error };
        throw error;
      }
      const proof = evidence(response);
      ticket?.wrote(response, proof);
      note = isOfType(response, about.type)
        ? this.#diff(about, target, { known, response, proof, merge })
        : { result: "written" };
      return response;
    } finally {
      if (note !== undefined) {
        const { resource, key: name } = target;
        const { result, fields, error } = note;
        journal.wrote({ verb: about.verb, resource, key: name, result, fields, ms: clock.monotonic() - begin, error });
      }
      // Has no effect if the response was recorded.
      ticket?.failed();
    }
  }

  /** Records a deletion. */
  async remove(
    { type, name, uid }: { readonly type: ResourceType; readonly name: ObjectName; readonly uid: string | undefined },
    call: () => Promise<Deleted<KubeObject>>,
  ): Promise<Deleted<KubeObject>> {
    const about: WriteSubject = { verb: "delete", type, name };
    using ticket = this.#options.cache.write(type, keyIn(about), this.#options.writer);
    return await this.#note(about, call, ({ wasFound, object }) => {
      if (!wasFound) return { result: "unchanged" };
      // A response without the object: the deleted object is the one with the UID of the precondition.
      ticket.deleted(object ?? { details: { uid } });
      this.#reportChange(about, targetOf(about), { fields: [], digest: "" });
      return { result: "written" };
    });
  }

  /** Records a write whose response does not contain the written object, such as an eviction, in the journal only. */
  async other<R>(
    about: WriteSubject,
    call: () => Promise<R>,
    resultOf: (response: R) => WriteNote["result"],
  ): Promise<R> {
    return this.#note(about, call, (response) => ({ result: resultOf(response) }));
  }

  /** Compares a response with the cached object. Returns whether the write changed the object, and which fields. */
  #diff(
    about: WriteSubject,
    target: WriteTarget,
    { known, response, proof, merge }: WriteOutcome,
  ): Pick<WriteNote, "result" | "fields"> {
    const { uid, resourceVersion } = response;
    if (known !== undefined && known.metadata.uid === uid) {
      // The response to the removal of the last finalizer repeats the version from before.
      if (known.metadata.resourceVersion === resourceVersion && !isRemoval(response)) return { result: "unchanged" };
      // A status patch that was conditional on the cached version can have changed only what it contains; the response need not be parsed.
      const isExact = isOfStatus(about, merge) && proof.basedOn === known.metadata.resourceVersion;
      const changed = isExact ? changedFieldsBy(known, merge) : changedFields(known, response.object);
      const fields = changed.map(({ path }) => path);
      if (fields.length > 0) {
        this.#reportChange(about, target, { fields, digest: roughDigestOf(changed) });
      }
      return { result: "written", fields };
    }
    if (proof.basedOn !== undefined && proof.basedOn === resourceVersion) return { result: "unchanged" };
    // The content of a new object does not matter for the hot loop detection: creating it repeatedly is a loop with any content.
    if (proof.isNew === true) this.#reportChange(about, target, { fields: [], digest: "", madeUid: uid });
    return { result: "written" };
  }

  #reportChange(
    { verb }: WriteSubject,
    { resource, key }: WriteTarget,
    { fields, digest, madeUid }: Pick<MadeChange, "fields" | "digest" | "madeUid">,
  ): void {
    this.#options.onChange?.({ verb, resource, key, fields, digest, madeUid });
  }

  /** Sends a request, and adds its result to the journal. */
  async #note<R>(
    about: WriteSubject,
    call: () => Promise<R>,
    onResponse: (response: R) => Pick<WriteNote, "result" | "fields">,
  ): Promise<R> {
    const { clock, journal } = this.#options;
    const begin = clock.monotonic();
    const target = { verb: about.verb, ...targetOf(about) };
    let response: R;
    try {
      response = await call();
    } catch (error) {
      journal.wrote({ ...target, result: "failed", ms: clock.monotonic() - begin, error });
      throw error;
    }
    journal.wrote({ ...target, ...onResponse(response), ms: clock.monotonic() - begin });
    return response;
  }
}

/** Resource and key of a write, for the journal and messages. */
interface WriteTarget {
  readonly resource: string;
  readonly key: string;
}

/** Returns resource and key of a write, for the journal and messages. */
export function targetOf({ type, name, subresource = "" }: Omit<WriteSubject, "verb">): WriteTarget {
  const { name: last, namespace = "" } = name;
  return {
    resource: resourceOf(type, subresource),
    key: namespace === "" ? last : `${namespace}/${last}`,
  };
}

/** Formatted resources by kind and subresource. Cached, because the string is part of every journal entry and is kept in the history. */
const resources = new WeakMap<ResourceType, Map<string, string>>();

function resourceOf(type: ResourceType, subresource: string): string {
  let ofType = resources.get(type);
  if (ofType === undefined) {
    ofType = new Map();
    resources.set(type, ofType);
  }
  let resource = ofType.get(subresource);
  if (resource === undefined) {
    resource = formatGroupResource(type) + (subresource === "" ? "" : `/${subresource}`);
    ofType.set(subresource, resource);
  }
  return resource;
}

function keyIn({ name: { name, namespace = "" } }: Omit<WriteSubject, "verb">): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}

/** Reports whether a merge patch can change only the status: it is sent to the subresource and contains no other field. */
function isOfStatus({ subresource }: WriteSubject, merge: unknown): boolean {
  if (subresource !== "status" || !isRecord(merge)) return false;
  return Object.keys(merge).every((name) => name === "status" || name === "metadata");
}
