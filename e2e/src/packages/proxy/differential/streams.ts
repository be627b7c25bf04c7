// The grammar of streams: valid requests, odd ones, random changes, and an end that lets every proxy close the connection.

import { SeededRandom } from "@homeostat/fuzz";
import { type Oddity, oddities, type Variation } from "./oddities.ts";

/** Bytes that a client sends on one connection. */
export interface Stream {
  /** Names of the oddities in it. */
  readonly names: readonly string[];
  /** All bytes, as latin1 texts that are written one after the other. */
  readonly pieces: readonly string[];
}

/** Target of the last requests. */
export const endTarget = "/end";
const after = "GET /after HTTP/1.1\r\nhost: cart\r\n\r\n";
const ending = (fields: string): string => `GET ${endTarget} HTTP/1.1\r\nhost: cart\r\n${fields}\r\n`;
/**
 * A proxy that takes a part of it for a body or for fields meets the next copy, and refuses it or responds to it. The last request closes the
 * connection, so the client does not wait for a time to pass. Nothing follows it: Node refuses all requests of a buffer with bytes after such a request.
 */
const end = ending("").repeat(3) + ending("connection: close\r\n");
const plain: Variation = { before: "", after: "" };
const harmless = ["accept: */*\r\n", "User-Agent: test\r\n", "X-A: 1\r\n", "cookie: a=b\r\n", "te: trailers\r\n"];
const pieces = ["\r\n", "\n", "\r", "\0", " ", "\t", "\v", ":", ",", "0", "5", "\r\n\r\n", "0\r\n\r\n", "chunked"];
const morePieces = ["\r\nContent-Length: 5", "\r\nTransfer-Encoding: chunked", "\r\n ", "HTTP/1.0", after];

/** Returns the stream of one oddity in its plain form, with a request after it. */
export function plainStream(oddity: Oddity): Stream {
  return { names: [oddity.name], pieces: [`${oddity.text(plain)}${after}${end}`] };
}

/** Returns streams with one to three oddities, harmless variations, and random changes of bytes in every third one. */
export function* randomStreams(seed: number, count: number): Generator<Stream> {
  const random = new SeededRandom(seed);
  for (let index = 0; index < count; index += 1) {
    const chosen = Array.from({ length: 1 + random.int(3) }, () => random.pick(oddities));
    const parts = chosen.map((oddity) => (random.int(3) === 0 ? after : "") + varied(oddity, random));
    const text = parts.join("") + after;
    const changed = index % 3 === 0 ? random.mutate(text, [...pieces, ...morePieces]) : text;
    yield { names: chosen.map(({ name }) => name), pieces: [`${changed}${end}`] };
  }
}

/** Bytes of a stream at which it is cut. Beyond them only one oddity differs, by a large field. */
const cutMax = 400;

/** Returns the plain streams of all oddities, cut in two at every byte, or a sample of at most `count` of them. */
export function splitStreams(seed: number, count: number): readonly Stream[] {
  const random = new SeededRandom(seed);
  const all = oddities.map(plainStream).flatMap(({ names, pieces: [text = ""] }) => {
    const cuts = Math.min(cutMax, text.length - end.length);
    return Array.from({ length: cuts }, (_, at) => ({ names, pieces: [text.slice(0, at + 1), text.slice(at + 1)] }));
  });
  if (all.length <= count) return all;
  return Array.from({ length: count }, () => random.pick(all));
}

function varied(oddity: Oddity, random: SeededRandom): string {
  const some = (): string => harmless.filter(() => random.int(4) === 0).join("");
  const text = oddity.text({ before: some(), after: some() });
  // Field names have no case. Only names of framing are changed: a random case elsewhere could change a method or a target.
  return text.replaceAll(/^(?:content-length|transfer-encoding)(?=:)/gim, (name) =>
    Array.from(name, (letter) => (random.int(2) === 0 ? letter.toUpperCase() : letter)).join(""),
  );
}
