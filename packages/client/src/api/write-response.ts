import type { KubeObject, ResourceType } from "@homeostat/core";
import { emptySpan, type ObjectSpan, scanWhole } from "../scan/scan-object.ts";
import type { Request } from "../transport/transport.ts";
import { type Caller, failureOf, isSuccess, parseResponse, readWhole } from "./call.ts";
import { namesOf, objectIn } from "./objects.ts";

/**
 * The response to a write, parsed only as far as needed.
 *
 * Most callers need only the UID and the resource version, which are found in the bytes without parsing JSON. A response that does
 * not begin like an object of the kind is rejected before this is created. Malformed JSON further inside is found when the object
 * is read.
 */
export class WriteResponse<T extends KubeObject = KubeObject> {
  /** The kind of the response. For the `scale` subresource it differs from that of the object. */
  readonly type: ResourceType<T>;
  /** The JSON text. It must not be changed. */
  readonly bytes: Buffer;
  readonly #parse: () => T;
  #object: T | undefined;
  #span: ObjectSpan | undefined;

  /** Created by the client. `parse` parses the bytes, or throws. */
  constructor(type: ResourceType<T>, bytes: Buffer, parse: () => T) {
    this.type = type;
    this.bytes = bytes;
    this.#parse = parse;
  }

  /** The object, parsed on first use. The caller may change it. Throws a `MalformedAnswerError` if it is malformed. */
  get object(): T {
    return (this.#object ??= this.#parse());
  }

  /** The positions of fields in the bytes; undefined if they cannot be found without parsing. */
  get span(): ObjectSpan | undefined {
    if (this.#span !== undefined) return this.#span;
    const span = emptySpan();
    // The API server ends a body with a line feed.
    const { length } = this.bytes;
    if (!scanWhole(this.bytes, 0, this.bytes[length - 1] === 0x0a ? length - 1 : length, span)) return undefined;
    this.#span = span;
    return span;
  }

  /** `metadata.uid`, without parsing the object if possible. */
  get uid(): string | undefined {
    const { span } = this;
    const found = span === undefined ? undefined : textAt(this.bytes, span.uidStart, span.uidEnd);
    return found ?? this.object.metadata.uid;
  }

  /** `metadata.resourceVersion`, without parsing the object if possible. */
  get resourceVersion(): string | undefined {
    const { span } = this;
    const found = span === undefined ? undefined : textAt(this.bytes, span.versionStart, span.versionEnd);
    return found ?? this.object.metadata.resourceVersion;
  }
}

/**
 * Sends a write and returns its response. A response that does not begin like an object of the kind is parsed at once, so that a
 * malformed one is reported here.
 *
 * @param make Builds the request. It is called inside this async function so that an error it throws becomes a rejection without
 * another async function around this one.
 */
export async function callWrite<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  make: () => Request,
): Promise<WriteResponse<T>> {
  const { transport, clock } = caller;
  const request = make();
  const response = await transport.send(request);
  if (!isSuccess(response)) throw await failureOf(response, request, clock);
  const bytes = response.body.takeWhole?.() ?? (await readWhole(request, response));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const written = new WriteResponse(type, text, () => objectIn(parseResponse(text, request, response), type, request));
  if (!beginsAs(text, type)) void written.object;
  return written;
}

/** The possible first bytes of objects of a kind: Go structs (built-in kinds) put `kind` first, unstructured objects sort their keys. */
const openings = new WeakMap<ResourceType, readonly [Buffer, Buffer]>();

function beginsAs(bytes: Buffer, type: ResourceType): boolean {
  let both = openings.get(type);
  if (both === undefined) {
    const names = namesOf(type);
    const kind = `"kind":${JSON.stringify(names.kind)}`;
    const apiVersion = `"apiVersion":${JSON.stringify(names.apiVersion)}`;
    const metadata = `"metadata":{`;
    both = [Buffer.from(`{${kind},${apiVersion},${metadata}`), Buffer.from(`{${apiVersion},${kind},${metadata}`)];
    openings.set(type, both);
  }
  const [first, second] = both;
  return begins(bytes, first) || begins(bytes, second);
}

/** Compares byte by byte: for so few bytes a native call such as `Buffer.compare` takes longer. */
function begins(bytes: Buffer, text: Buffer): boolean {
  if (bytes.length <= text.length) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[i] !== text[i]) return false;
  return true;
}

/** Returns a string of the JSON bytes; undefined if it is empty or absent, or contains escapes or non-ASCII bytes. */
function textAt(bytes: Buffer, start: number, end: number): string | undefined {
  if (start < 0 || end <= start) return undefined;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte > 0x7e || byte === 0x5c) return undefined;
  }
  return bytes.toString("latin1", start, end);
}
