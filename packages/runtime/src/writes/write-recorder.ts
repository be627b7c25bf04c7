import type { Deleted, ObjectName, WriteAnswer } from "@homeostat/client";
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
import type { RunJournal, WriteNote } from "./journal.ts";

/** A write that was answered, and has changed something. */
export interface MadeChange {
  readonly verb: WriteNote["verb"];
  readonly resource: string;
  readonly key: string;
  readonly fields: readonly string[];
  /** A digest of the values that the fields have now. */
  readonly digest: string;
  /** The uid of the object, when it seems to be new. */
  readonly madeUid?: string | undefined;
}

/** What a {@link WriteRecorder} needs. */
export interface WriteRecorderOptions {
  readonly cache: Pick<Cache, "write">;
  /** Who writes. */
  readonly writer: Writer;
  readonly journal: RunJournal;
  readonly clock: Clock;
  /** The object as it was known before a write, which tells what has changed. Default: nothing is known. */
  readonly before?: ((type: ResourceType, key: ObjectKey) => DeepReadonly<KubeObject> | undefined) | undefined;
  /** Told of every write that changed something, as far as that is known. */
  readonly onChange?: ((change: MadeChange) => void) | undefined;
}

/** What is written. */
export interface WriteSubject {
  readonly verb: WriteNote["verb"];
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly subresource?: string | undefined;
}

/** What is known of a write before it is answered. */
export interface WriteProof {
  readonly evidence: (answer: WriteAnswer) => WriteEvidence;
  /** The merge patch, if that is how it is written. */
  readonly merge?: unknown;
}

interface Judged {
  readonly known: DeepReadonly<KubeObject> | undefined;
  readonly answer: WriteAnswer;
  readonly proof: WriteEvidence;
  readonly merge: unknown;
}

/** Sees each write through: announces it to the cache, brings it the answer, and notes what became of it. */
export class WriteRecorder {
  readonly #options: WriteRecorderOptions;

  constructor(options: WriteRecorderOptions) {
    this.#options = options;
  }

  /** A write that is answered with the object. */
  async write(
    about: WriteSubject,
    call: () => Promise<WriteAnswer>,
    { evidence, merge }: WriteProof,
  ): Promise<WriteAnswer> {
    const { cache, writer, before, clock, journal } = this.#options;
    const key = keyIn(about);
    // Without a name the request is refused; the cache would not know what to call it either.
    const ticket = key.name === "" ? undefined : cache.write(about.type, key, writer);
    const place = placeOf(about);
    const begin = clock.monotonic();
    let note: (Pick<WriteNote, "result" | "fields"> & { readonly error?: unknown }) | undefined;
    try {
      const known = about.verb === "create" ? undefined : before?.(about.type, key);
      let answer: WriteAnswer;
      try {
        answer = await call();
      } catch (error) {
        note = { result: "failed", error };
        throw error;
      }
      const proof = evidence(answer);
      ticket?.wrote(answer, proof);
      note = isOfType(answer, about.type)
        ? this.#judge(about, place, { known, answer, proof, merge })
        : { result: "written" };
      return answer;
    } finally {
      if (note !== undefined) {
        const { resource, key: name } = place;
        const { result, fields, error } = note;
        journal.wrote({ verb: about.verb, resource, key: name, result, fields, ms: clock.monotonic() - begin, error });
      }
      // Nothing once it was answered.
      ticket?.failed();
    }
  }

  /** A deletion. */
  async remove(
    { type, name, uid }: { readonly type: ResourceType; readonly name: ObjectName; readonly uid: string | undefined },
    call: () => Promise<Deleted<KubeObject>>,
  ): Promise<Deleted<KubeObject>> {
    const about: WriteSubject = { verb: "delete", type, name };
    using ticket = this.#options.cache.write(type, keyIn(about), this.#options.writer);
    return await this.#note(about, call, ({ wasFound, object }) => {
      if (!wasFound) return { result: "unchanged" };
      // When the server only confirms, it was the one that the request was on condition of.
      ticket.deleted(object ?? { details: { uid } });
      this.#tell(about, placeOf(about), { fields: [], digest: "" });
      return { result: "written" };
    });
  }

  /** A write whose answer says nothing about the objects, or does not come back under their names. */
  async other<R>(
    about: WriteSubject,
    call: () => Promise<R>,
    resultOf: (answer: R) => WriteNote["result"],
  ): Promise<R> {
    return this.#note(about, call, (answer) => ({ result: resultOf(answer) }));
  }

  /** Whether an answer shows a change, and which. */
  #judge(
    about: WriteSubject,
    place: Place,
    { known, answer, proof, merge }: Judged,
  ): Pick<WriteNote, "result" | "fields"> {
    const { uid, resourceVersion } = answer;
    if (known !== undefined && known.metadata.uid === uid) {
      // The response to the removal of the last finalizer repeats the version from before.
      if (known.metadata.resourceVersion === resourceVersion && !isRemoval(answer)) return { result: "unchanged" };
      // Of a status that was patched on condition of the version that is known, no more can be different than what was sent.
      const isExact = isOfStatus(about, merge) && proof.basedOn === known.metadata.resourceVersion;
      const changed = isExact ? changedFieldsBy(known, merge) : changedFields(known, answer.object);
      const fields = changed.map(({ path }) => path);
      if (fields.length > 0) {
        this.#tell(about, place, { fields, digest: roughDigestOf(changed) });
      }
      return { result: "written", fields };
    }
    if (proof.basedOn !== undefined && proof.basedOn === resourceVersion) return { result: "unchanged" };
    // Of what is new, there is no need to know what was sent: making it again and again is a loop in itself.
    if (proof.isNew === true) this.#tell(about, place, { fields: [], digest: "", madeUid: uid });
    return { result: "written" };
  }

  #tell(
    { verb }: WriteSubject,
    { resource, key }: Place,
    { fields, digest, madeUid }: Pick<MadeChange, "fields" | "digest" | "madeUid">,
  ): void {
    this.#options.onChange?.({ verb, resource, key, fields, digest, madeUid });
  }

  /** Makes a call, and notes what becomes of it. */
  async #note<R>(
    about: WriteSubject,
    call: () => Promise<R>,
    onAnswer: (answer: R) => Pick<WriteNote, "result" | "fields">,
  ): Promise<R> {
    const { clock, journal } = this.#options;
    const begin = clock.monotonic();
    const place = { verb: about.verb, ...placeOf(about) };
    let answer: R;
    try {
      answer = await call();
    } catch (error) {
      journal.wrote({ ...place, result: "failed", ms: clock.monotonic() - begin, error });
      throw error;
    }
    journal.wrote({ ...place, ...onAnswer(answer), ms: clock.monotonic() - begin });
    return answer;
  }
}

/** What was written to, as it is shown. */
interface Place {
  readonly resource: string;
  readonly key: string;
}

/** The resource and the key of a write, as they are shown. */
export function placeOf({ type, name, subresource = "" }: Omit<WriteSubject, "verb">): Place {
  const { name: last, namespace = "" } = name;
  return {
    resource: resourceOf(type, subresource),
    key: namespace === "" ? last : `${namespace}/${last}`,
  };
}

/** What resources are called, by kind and subresource: made once, as it is noted with every write and kept for long. */
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

/** Whether a merge patch is of the status alone, and is sent to where nothing else can be changed. */
function isOfStatus({ subresource }: WriteSubject, merge: unknown): boolean {
  if (subresource !== "status" || !isRecord(merge)) return false;
  return Object.keys(merge).every((name) => name === "status" || name === "metadata");
}
