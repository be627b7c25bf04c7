import type { KubeObject, ResourceType } from "@homeostat/core";
import { emptySpan, type ObjectSpan, scanWhole } from "../scan/scan-object.ts";
import type { Request } from "../transport/transport.ts";
import { type Caller, failureOf, isSuccess, parseAnswer, readWhole } from "./call.ts";
import { namesOf, objectIn } from "./objects.ts";

/**
 * The answer to a write, read as far as somebody asks.
 *
 * Most answers only confirm: then which object it is and its version are found in the bytes, and nothing is parsed. What is
 * not a whole answer of the kind is refused before this is made; a mistake further inside is found when it is read.
 */
export class WriteAnswer<T extends KubeObject = KubeObject> {
  /** The kind that the answer is of: for `scale`, another than that of the object. */
  readonly type: ResourceType<T>;
  /** The JSON text. It must not be changed. */
  readonly bytes: Buffer;
  readonly #parse: () => T;
  #object: T | undefined;
  #span: ObjectSpan | undefined;

  /** Made by the client. `parse` makes the object of the bytes, or throws. */
  constructor(type: ResourceType<T>, bytes: Buffer, parse: () => T) {
    this.type = type;
    this.bytes = bytes;
    this.#parse = parse;
  }

  /** The object, parsed when it is first asked for, and yours. Throws a `MalformedAnswerError` when it is none. */
  get object(): T {
    return (this.#object ??= this.#parse());
  }

  /** Where the object lies in the bytes; undefined when they have to be parsed to know. */
  get span(): ObjectSpan | undefined {
    if (this.#span !== undefined) return this.#span;
    const span = emptySpan();
    // A server ends an answer with a line feed.
    const { length } = this.bytes;
    if (!scanWhole(this.bytes, 0, this.bytes[length - 1] === 0x0a ? length - 1 : length, span)) return undefined;
    this.#span = span;
    return span;
  }

  /** `metadata.uid`, without parsing the object if that can be. */
  get uid(): string | undefined {
    const { span } = this;
    const found = span === undefined ? undefined : textAt(this.bytes, span.uidStart, span.uidEnd);
    return found ?? this.object.metadata.uid;
  }

  /** `metadata.resourceVersion`, without parsing the object if that can be. */
  get resourceVersion(): string | undefined {
    const { span } = this;
    const found = span === undefined ? undefined : textAt(this.bytes, span.versionStart, span.versionEnd);
    return found ?? this.object.metadata.resourceVersion;
  }
}

/**
 * Sends a write and takes its answer. One that does not begin as servers write objects of the kind is parsed at once.
 *
 * @param make Makes the request. It is called here, so that nobody around this has to wait to turn what it throws into a rejection.
 */
export async function callWrite<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  make: () => Request,
): Promise<WriteAnswer<T>> {
  const { transport, clock } = caller;
  const request = make();
  const response = await transport.send(request);
  if (!isSuccess(response)) throw await failureOf(response, request, clock);
  const bytes = response.body.takeWhole?.() ?? (await readWhole(request, response));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const answer = new WriteAnswer(type, text, () => objectIn(parseAnswer(text, request, response), type, request));
  if (!beginsAs(text, type)) void answer.object;
  return answer;
}

/** How the objects of a kind begin: built-in kinds in the order of their fields, all others in that of the alphabet. */
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

/** For a few bytes, a call of the engine takes longer. */
function begins(bytes: Buffer, text: Buffer): boolean {
  if (bytes.length <= text.length) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[i] !== text[i]) return false;
  return true;
}

/** A text without escapes; undefined for an empty or absent one, or one that has to be decoded. */
function textAt(bytes: Buffer, start: number, end: number): string | undefined {
  if (start < 0 || end <= start) return undefined;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte > 0x7e || byte === 0x5c) return undefined;
  }
  return bytes.toString("latin1", start, end);
}
