// The Redis serialization protocol, version 2 (RESP2): parses commands and writes replies.

/** A reply. A number is an integer, null is nil, a string is a bulk string, `{ word }` a simple string. */
export type Reply = string | number | null | { readonly word: string } | { readonly error: string } | readonly Reply[];

/** The result of parsing: a complete command, an incomplete one, or a protocol error. */
export type ReadResult =
  | { readonly type: "command"; readonly words: readonly string[]; readonly rest: Buffer }
  | { readonly type: "partial" }
  | { readonly type: "invalid"; readonly problem: string };

const wordsMax = 10_000;
const inlineBytesMax = 65_536;
/** Limit of an argument in bytes. Redis accepts 512 MB; simulations need no more than this. */
export const wordBytesMax = 16_777_216;

/** Parses one command from the start of the received bytes. */
export function readCommand(bytes: Buffer): ReadResult {
  const lineEnd = bytes.indexOf("\n");
  if (lineEnd < 0)
    return bytes.length > inlineBytesMax ? { type: "invalid", problem: "too big inline request" } : { type: "partial" };
  const line = textOf(bytes, 0, lineEnd);
  if (!line.startsWith("*")) {
    return {
      type: "command",
      words: line.split(/\s+/).filter((word) => word !== ""),
      rest: bytes.subarray(lineEnd + 1),
    };
  }
  const count = lengthOf(line);
  if (count === undefined || count > wordsMax) return { type: "invalid", problem: "invalid multibulk length" };
  const words: string[] = [];
  let position = lineEnd + 1;
  for (let index = 0; index < count; index += 1) {
    const end = bytes.indexOf("\n", position);
    if (end < 0) return { type: "partial" };
    const head = textOf(bytes, position, end);
    if (!head.startsWith("$")) return { type: "invalid", problem: `expected '$', got '${head.slice(0, 1)}'` };
    const length = lengthOf(head);
    if (length === undefined || length > wordBytesMax) return { type: "invalid", problem: "invalid bulk length" };
    if (bytes.length < end + 1 + length + 2) return { type: "partial" };
    words.push(bytes.toString("utf8", end + 1, end + 1 + length));
    position = end + 1 + length + 2;
  }
  return { type: "command", words, rest: bytes.subarray(position) };
}

/** Serializes a reply. */
export function writeReply(reply: Reply): string {
  if (reply === null) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if ("word" in reply) return `+${reply.word}\r\n`;
  if ("error" in reply) return `-${reply.error}\r\n`;
  return `*${reply.length}\r\n${reply.map(writeReply).join("")}`;
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, bytes[end - 1] === 13 ? end - 1 : end);
}

function lengthOf(line: string): number | undefined {
  return /^.\d{1,10}$/.test(line) ? Number(line.slice(1)) : undefined;
}
