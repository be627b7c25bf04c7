import { emptySpan, type ObjectSpan, scanObject, scanWhole } from "@homeostat/client";
import { isRecord, ownValue, ParseError } from "@homeostat/core";

/** Types of watch events. */
export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

const types: ReadonlySet<string> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);
const opening = Buffer.from('{"type":"');
const middle = Buffer.from('","object":');

/**
 * A reusable reader of watch events, one JSON document per line: the event type, and the position of the object in the
 * bytes.
 *
 * Lines in the form that API servers write (`{"type":"…","object":{…}}`, no spaces) are read without decoding JSON.
 * Any other form of the same JSON is decoded and written again.
 */
export class WatchLine {
  readonly span: ObjectSpan = emptySpan();
  type: WatchType = "ERROR";
  bytes: Buffer = opening;

  /** Reads a line. Throws a `ParseError` if it is not a watch event. */
  read(line: Buffer): this {
    if (!this.#readUsual(line)) this.#readAny(line);
    return this;
  }

  /** The resourceVersion of the object; empty if it has none. */
  get version(): string {
    const { versionStart, versionEnd } = this.span;
    return versionStart < 0 ? "" : this.bytes.toString("latin1", versionStart, versionEnd);
  }

  /** The decoded object. Throws a `ParseError` if it is not valid JSON. */
  get object(): unknown {
    return parse(this.bytes.subarray(this.span.start, this.span.end));
  }

  #readUsual(line: Buffer): boolean {
    if (!hasAt(line, 0, opening)) return false;
    const typeEnd = line.indexOf(0x22, opening.length);
    if (typeEnd < 0 || !hasAt(line, typeEnd, middle)) return false;
    const type = line.toString("latin1", opening.length, typeEnd);
    const start = typeEnd + middle.length;
    if (!isWatchType(type) || line[start] !== 0x7b) return false;
    // The last byte closes the event, the one before it the object.
    if (line[line.length - 1] !== 0x7d || !scanWhole(line, start, line.length - 1, this.span)) return false;
    this.type = type;
    this.bytes = line;
    return true;
  }

  #readAny(line: Buffer): void {
    const event = parse(line);
    const type = isRecord(event) ? ownValue(event, "type") : undefined;
    const object = isRecord(event) ? ownValue(event, "object") : undefined;
    if (!isWatchType(type) || !isRecord(object)) throw malformed(line, "expected an event with a type and an object");
    const bytes = write(object, line);
    scanObject(bytes, 0, bytes.length, this.span);
    this.type = type;
    this.bytes = bytes;
  }
}

function isWatchType(type: unknown): type is WatchType {
  return typeof type === "string" && types.has(type);
}

function hasAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch (cause) {
    throw malformed(line, "expected JSON", cause);
  }
}

/** Serializes the object alone. Throws a `ParseError` if it is nested too deeply to be serialized. */
function write(object: object, line: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(object));
  } catch (cause) {
    throw malformed(line, "expected an object that is nested less deeply", cause);
  }
}

function malformed(line: Buffer, problem: string, cause?: unknown): ParseError {
  const input = line.toString("utf8", 0, 1000);
  return new ParseError({ what: "watch event", input, offset: 0, problem }, { cause });
}
