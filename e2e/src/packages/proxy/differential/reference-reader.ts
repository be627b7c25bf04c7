// A reader of HTTP/1.1 requests, written from RFC 9112 for this suite only: slow, strict, and without code of the engines. It finds where the requests
// of a stream begin and end; everything that the grammar does not allow ends the stream.

/** A complete request. */
export interface ReadRequest {
  readonly method: string;
  /** Target in origin form: the authority of an absolute form is removed. */
  readonly target: string;
  /** Content, without the framing of chunks. */
  readonly body: string;
}

/** Requests of a stream of bytes. */
export interface ReadStream {
  readonly requests: readonly ReadRequest[];
  /** `malformed` and `closed` end the stream: no later byte begins a request. */
  readonly end: "complete" | "incomplete" | "malformed" | "closed";
  /** Line of the last request if its head is complete and its body is not. */
  readonly partial: Pick<ReadRequest, "method" | "target"> | undefined;
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const requestLine = new RegExp(`^(${token}) ([\\x21-\\x7e\\x80-\\xff]+) HTTP/1\\.([01])$`);
const fieldLine = new RegExp(
  `^(${token}):[ \\t]*((?:[\\x21-\\x7e\\x80-\\xff](?:[ \\t]*[\\x21-\\x7e\\x80-\\xff])*)?)[ \\t]*$`,
);
const chunkLine = /^([0-9A-Fa-f]+)(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;
const absoluteForm = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

class MalformedError extends Error {}
class IncompleteError extends Error {}

/** Reads all requests of a stream, given as latin1 text. */
export function readStream(text: string): ReadStream {
  const requests: ReadRequest[] = [];
  let partial: ReadStream["partial"];
  let at = 0;

  const line = (): string => {
    const end = text.indexOf("\n", at);
    if (end === -1) throw isOneLine(text.slice(at)) ? new IncompleteError() : new MalformedError();
    const found = text.slice(at, end);
    if (!found.endsWith("\r") || found.indexOf("\r") < found.length - 1) throw new MalformedError();
    at = end + 1;
    return found.slice(0, -1);
  };
  const take = (length: number): string => {
    if (at + length > text.length) throw new IncompleteError();
    at += length;
    return text.slice(at - length, at);
  };
  const fields = (): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (let next = line(); next !== ""; next = line()) {
      const match = fieldLine.exec(next);
      if (match === null) throw new MalformedError();
      const name = (match[1] ?? "").toLowerCase();
      found.set(name, [...(found.get(name) ?? []), match[2] ?? ""]);
    }
    return found;
  };
  const chunked = (): string => {
    let body = "";
    for (;;) {
      const match = chunkLine.exec(line());
      if (match === null || (match[1] ?? "").length > 15) throw new MalformedError();
      const size = Number.parseInt(match[1] ?? "", 16);
      if (size === 0) break;
      body += take(size);
      if (line() !== "") throw new MalformedError();
    }
    fields();
    return body;
  };

  try {
    while (at < text.length) {
      partial = undefined;
      let first = line();
      // Empty lines before a request line are ignored (RFC 9112, 2.2).
      while (first === "") {
        if (at === text.length) return { requests, end: "complete", partial };
        first = line();
      }
      const match = requestLine.exec(first);
      if (match === null || match[1] === "CONNECT") throw new MalformedError();
      const [, method = "", rawTarget = "", minor = ""] = match;
      const rest = rawTarget.replace(absoluteForm, "");
      const target = rest === rawTarget || rest.startsWith("/") ? rest : `/${rest}`;
      const head = fields();
      const framing = framingOf(head, minor);
      partial = { method, target };
      requests.push({ method, target, body: framing === "chunked" ? chunked() : take(framing) });
      partial = undefined;
      const options = (head.get("connection") ?? [])
        .join(",")
        .toLowerCase()
        .split(/[ \t]*,[ \t]*/);
      const isKept = minor === "1" ? !options.includes("close") : options.includes("keep-alive");
      if (!isKept) return { requests, end: "closed", partial };
    }
    return { requests, end: "complete", partial };
  } catch (error) {
    if (error instanceof MalformedError) return { requests, end: "malformed", partial };
    if (error instanceof IncompleteError) return { requests, end: "incomplete", partial };
    throw error;
  }
}

/** Reports whether a text can be the beginning of a line: it has no control character but tabs and a CR at its end. */
function isOneLine(text: string): boolean {
  return Array.from(text.replace(/\r$/, "")).every((byte) => byte === "\t" || (byte >= " " && byte !== "\x7f"));
}

/** Returns the framing of a body. */
function framingOf(head: ReadonlyMap<string, readonly string[]>, minor: string): "chunked" | number {
  const lengths = head.get("content-length");
  const codings = head.get("transfer-encoding");
  const hosts = head.get("host") ?? [];
  if (hosts.length > 1 || (hosts.length === 0 && minor === "1")) throw new MalformedError();
  if (codings !== undefined) {
    const list = codings
      .join(",")
      .toLowerCase()
      .split(",")
      .map((each) => each.trim());
    if (lengths !== undefined || minor === "0" || list.indexOf("chunked") !== list.length - 1)
      throw new MalformedError();
    return "chunked";
  }
  if (lengths === undefined) return 0;
  const [length = ""] = lengths;
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) throw new MalformedError();
  return Number(length);
}
