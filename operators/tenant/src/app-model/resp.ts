// The protocol that Redis speaks, second version: commands in, replies out.

/** A reply. A number is an integer, null is nothing; a text is sent as data, `{ word }` as a simple word. */
export type Reply = string | number | null | { readonly word: string } | { readonly error: string } | readonly Reply[];

/** What came of reading: a command, more to wait for, or something that is no command. */
export type ReadResult =
  | { readonly is: "command"; readonly words: readonly string[]; readonly rest: Buffer }
  | { readonly is: "partial" }
  | { readonly is: "broken"; readonly problem: string };

const wordsMax = 10_000;
const inlineBytesMax = 65_536;
/** The longest word, in bytes. The real one takes 512 MB; nothing that is simulated needs more than this. */
export const wordBytesMax = 16_777_216;

/** Reads one command from the beginning of what has arrived. */
export function readCommand(bytes: Buffer): ReadResult {
  const lineEnd = bytes.indexOf("\n");
  if (lineEnd < 0)
    return bytes.length > inlineBytesMax ? { is: "broken", problem: "too big inline request" } : { is: "partial" };
  const line = textOf(bytes, 0, lineEnd);
  if (!line.startsWith("*")) {
    return { is: "command", words: line.split(/\s+/).filter((word) => word !== ""), rest: bytes.subarray(lineEnd + 1) };
  }
  const count = lengthOf(line);
  if (count === undefined || count > wordsMax) return { is: "broken", problem: "invalid multibulk length" };
  const words: string[] = [];
  let position = lineEnd + 1;
  for (let index = 0; index < count; index += 1) {
    const end = bytes.indexOf("\n", position);
    if (end < 0) return { is: "partial" };
    const head = textOf(bytes, position, end);
    if (!head.startsWith("$")) return { is: "broken", problem: `expected '$', got '${head.slice(0, 1)}'` };
    const length = lengthOf(head);
    if (length === undefined || length > wordBytesMax) return { is: "broken", problem: "invalid bulk length" };
    if (bytes.length < end + 1 + length + 2) return { is: "partial" };
    words.push(bytes.toString("utf8", end + 1, end + 1 + length));
    position = end + 1 + length + 2;
  }
  return { is: "command", words, rest: bytes.subarray(position) };
}

/** A reply as it is sent. */
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
