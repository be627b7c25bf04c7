import type { ObjectSpan, WriteResponse } from "@homeostat/client";
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

/** The parts of each object that are kept. */
export interface Shape<S = never> {
  /** True to keep `metadata.managedFields`, which is dropped by default. */
  readonly managedFields?: boolean | undefined;
  /** True to request and keep only `metadata` (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean | undefined;
  /** Fields to keep, in addition to those that are always kept: see {@link projection}. */
  readonly project?: readonly FieldPath[] | undefined;
  /** Applied to each object before it is stored. Name, namespace, uid and resourceVersion are restored afterwards. */
  readonly transform?: ((object: S) => unknown) | undefined;
}

/** Options of an {@link Intake}. */
export interface IntakeOptions<S> {
  readonly type: ResourceType;
  readonly shape: Shape<S>;
  /** Called when `transform` throws. */
  readonly onError: (error: unknown) => void;
}

/** A converter from objects of type `S`, as received, to the form `T` in which they are stored. */
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

  /**
   * Returns an item for a scanned object, without the parts that are not kept. The same item is reused by the next
   * call.
   */
  fromBytes(bytes: Buffer, span: ObjectSpan): Item {
    if (this.#reshape === undefined) return readItem(this.#item, bytes, span, this.#keeps);
    return this.#reshaped(bytes.toString("utf8", span.start, span.end), this.#reshape);
  }

  /**
   * Like {@link Intake.fromBytes} for the response to an own write. Its bytes are used as they are if nothing has to be
   * omitted.
   */
  fromResponse(response: WriteResponse): Item {
    const isWhole = this.#reshape === undefined && this.#shape.metadataOnly !== true;
    const span = isWhole ? response.span : undefined;
    return span === undefined ? this.fromObject(response.object) : this.fromBytes(response.bytes, span);
  }

  /** Like {@link Intake.fromBytes} for a parsed object. */
  fromObject({ apiVersion, kind, metadata, ...rest }: KubeObject): Item {
    const text = JSON.stringify({ apiVersion, kind, metadata, ...(this.#shape.metadataOnly === true ? {} : rest) });
    if (this.#reshape === undefined) return itemFromText(this.#item, text, this.#keeps);
    return this.#reshaped(text, this.#reshape);
  }

  /**
   * Parses a stored object.
   *
   * Sets `apiVersion` and `kind`: items of a list of built-in kinds have neither, and metadata-only objects have
   * `PartialObjectMetadata`.
   */
  parse(text: string): T {
    const object = JSON.parse(text);
    if (object.kind === this.#kind) return object;
    return { ...object, apiVersion: this.#apiVersion, kind: this.#kind };
  }

  /** Drops the bytes of the last item. Must not be called while an item is in use. */
  release(): void {
    this.#item.release();
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
    const identityOnly = toIdentity(object);
    try {
      return withIdentity(transform(pick === undefined ? object : pick(object)), identity);
    } catch (error) {
      // One object on which the function fails must not keep all others out of the cache. The object is stored with
      // its identity only: the function may have been meant to remove secrets.
      onError(error);
      return identityOnly;
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
