import type { ObjectSpan, WriteAnswer } from "@homeostat/client";
import {
  formatApiVersion,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import { Item, itemFromText, readItem } from "./item.ts";
import { type FieldPath, projection } from "./projection.ts";

/** How much of each object is kept. */
export interface Shape<S = never> {
  /** Keep `metadata.managedFields`, which is dropped otherwise. */
  readonly managedFields?: boolean | undefined;
  /** Keep only `metadata`, and ask the server for nothing else. */
  readonly metadataOnly?: boolean | undefined;
  /** Keep only these fields, and those that tell which object it is and whose. */
  readonly project?: readonly FieldPath[] | undefined;
  /** Change each object before it is kept. Names, uid and resourceVersion stay what they are. */
  readonly transform?: ((object: S) => unknown) | undefined;
}

/** What an {@link Intake} is made for. */
export interface IntakeOptions<S> {
  readonly type: ResourceType;
  readonly shape: Shape<S>;
  /** Told when `transform` throws. */
  readonly onError: (error: unknown) => void;
}

/** Brings objects of type `S` into the form `T` in which they are kept, and back. */
export class Intake<S, T> {
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #shape: Shape<S>;
  readonly #reshape: ((object: S) => unknown) | undefined;
  readonly #item = new Item();

  constructor({ type, shape, onError }: IntakeOptions<S>) {
    this.#apiVersion = formatApiVersion(type);
    this.#kind = type.kind;
    this.#shape = shape;
    this.#reshape = reshaping(shape, onError);
  }

  /** An object that was scanned, without what is not kept. The item is good until the next call. */
  fromBytes(bytes: Buffer, span: ObjectSpan): Item {
    if (this.#reshape === undefined) return readItem(this.#item, bytes, span, this.#keeps);
    return this.#reshaped(bytes.toString("utf8", span.start, span.end), this.#reshape);
  }

  /** The same for what a write of our own came back with: its bytes are kept as they are, if nothing is left out of them. */
  fromAnswer(answer: WriteAnswer): Item {
    const isWhole = this.#reshape === undefined && this.#shape.metadataOnly !== true;
    const span = isWhole ? answer.span : undefined;
    return span === undefined ? this.fromObject(answer.object) : this.fromBytes(answer.bytes, span);
  }

  /** The same for an object that was parsed. */
  fromObject({ apiVersion, kind, metadata, ...rest }: KubeObject): Item {
    const text = JSON.stringify({ apiVersion, kind, metadata, ...(this.#shape.metadataOnly === true ? {} : rest) });
    if (this.#reshape === undefined) return itemFromText(this.#item, text, this.#keeps);
    return this.#reshaped(text, this.#reshape);
  }

  /**
   * An object from its text.
   *
   * Items of the lists of built-in kinds do not say what they are, and metadata alone says that it is metadata alone.
   */
  parse(text: string): T {
    const object = JSON.parse(text);
    if (object.kind === this.#kind) return object;
    return { ...object, apiVersion: this.#apiVersion, kind: this.#kind };
  }

  get #keeps(): { managedFields?: boolean } {
    return this.#shape.managedFields === true ? { managedFields: true } : {};
  }

  #reshaped(text: string, reshape: (object: S) => unknown): Item {
    const object: S = JSON.parse(text);
    return itemFromText(this.#item, JSON.stringify(reshape(object)), this.#keeps);
  }
}

function reshaping<S>(
  { project, transform }: Shape<S>,
  onError: (error: unknown) => void,
): ((object: S) => unknown) | undefined {
  const pick = project === undefined ? undefined : projection(project);
  if (transform === undefined) return pick;
  const toIdentity = projection([]);
  return (object) => {
    const identity = identityOf(object);
    const least = toIdentity(object);
    try {
      return withIdentity(transform(pick === undefined ? object : pick(object)), identity);
    } catch (error) {
      // One object that a function cannot cope with must not keep all others out. What it should have removed is
      // not let in either.
      onError(error);
      return least;
    }
  };
}

const identityKeys = ["name", "namespace", "uid", "resourceVersion"] as const;

function identityOf(object: unknown): JsonRecord {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const identity: JsonRecord = {};
  if (isRecord(metadata)) {
    for (const key of identityKeys) {
      const value = ownValue(metadata, key);
      if (value !== undefined) identity[key] = value;
    }
  }
  return identity;
}

function withIdentity(object: unknown, identity: JsonRecord): unknown {
  const record = isRecord(object) ? object : {};
  const metadata = ownValue(record, "metadata");
  return { ...record, metadata: { ...(isRecord(metadata) ? metadata : {}), ...identity } };
}
