import { emptySpan, type ObjectSpan, scanObject, scanWhole } from "@homeostat/client";
import { isRecord, ownValue, ParseError } from "@homeostat/core";

/** The types of events there are. */
export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

const types: ReadonlySet<string> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);
const opening = Buffer.from('{"type":"');
const middle = Buffer.from('","object":');

/**
 * One line of a watch: what happened, and where in the bytes the object stands.
 *
 * The same reader is filled line after line. Lines as API servers write them are taken apart without decoding; any other
 * form of the same JSON is understood as well.
 */
export class WatchLine {
  readonly span: ObjectSpan = emptySpan();
  type: WatchType = "ERROR";
  bytes: Buffer = opening;

  /** Reads a line. Throws a `ParseError` when it is no event of a watch. */
  read(line: Buffer): this {
    if (!this.#readUsual(line)) this.#readAny(line);
    return this;
  }

  /** The version of the object, as text; empty when it has none. */
  get version(): string {
    const { versionStart, versionEnd } = this.span;
    return versionStart < 0 ? "" : this.bytes.toString("latin1", versionStart, versionEnd);
  }

  /** The object, decoded. Throws a `ParseError` when it is not JSON after all. */
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
    // The line ends with the event, and that with its object.
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

/** The object as bytes by itself. Nested deeper than the engine can write it, it is no object of a server's. */
function write(object: object, line: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(object));
  } catch (cause) {
    throw malformed(line, "expected an object that is not nested as deep", cause);
  }
}

function malformed(line: Buffer, problem: string, cause?: unknown): ParseError {
  const input = line.toString("utf8", 0, 1000);
  return new ParseError({ what: "watch event", input, offset: 0, problem }, { cause });
}
