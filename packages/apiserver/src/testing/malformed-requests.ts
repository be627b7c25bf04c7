// Generates malformed requests for HTTP/1.1, HTTP/2 and TLS.

import { randomBytes } from "node:crypto";
import type { SeededRandom } from "@homeostat/fuzz";

/** One malformed input. */
export interface Malformed {
  /** `tcp`: sent before TLS. Otherwise the protocol that TLS negotiates. */
  readonly over: "tcp" | "http/1.1" | "h2";
  readonly bytes: Uint8Array;
  /** True if the client disconnects at once, without waiting for a response. */
  readonly isHasty: boolean;
}

const get =
  "GET /api/v1/namespaces/default/pods?limit=5 HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n";
const post =
  "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{}\r\n";
const chunked =
  "POST /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{  }\r\n0\r\n\r\n";

const pieces = [
  "\r",
  "\n",
  "\r\n",
  "\0",
  " ",
  "\t",
  ":",
  "HTTP/1.1",
  "HTTP/0.9",
  "HTTP/9.9",
  "http://",
  "/",
  "%",
  "%00",
  "é",
  "\x7f",
  "\x80",
  "\xff",
  "Host: evil\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity, chunked\r\n",
  "Transfer-Encoding: xchunked\r\n",
  " folded\r\n",
  "Connection: Upgrade\r\nUpgrade: h2c\r\n",
  "Expect: 100-continue\r\n",
  "Expect: x\r\n",
  "ffffffffffffffff\r\n",
  "0\r\n\r\n",
  ";ext=1",
];

const heads = [
  "GET\r\n\r\n",
  "GET /\r\n\r\n",
  " / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET  /  HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "G\0T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET / HTTP/1.1\nHost: localhost\n\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET ../../etc HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "\r\n\r\n\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
  "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
  "GET / HTTP/1.1\r\n: x\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: \r\n\r\n",
];

const smuggling = [
  "Content-Length: 4\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nContent-Length: 4",
  "Content-Length: 4\r\nContent-Length: 5",
  "Content-Length: 4, 5",
  "Content-Length: +4",
  "Content-Length: 0x4",
  "Content-Length: 4 ",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: \x0bchunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "X: a\r\n Content-Length: 4",
  "Content-Length: 4\r\n\rX: y",
];

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Generates the n-th input. */
export function malformed(chance: SeededRandom, n: number): Malformed {
  const isHasty = chance.int(8) === 0;
  const kind = n % 8;
  if (kind === 0) return { over: "tcp", bytes: tcpBytes(chance), isHasty };
  if (kind === 1) return { over: "h2", bytes: http2Bytes(chance), isHasty };
  return { over: "http/1.1", bytes: Buffer.from(http1Text(chance, kind), "latin1"), isHasty };
}

function http1Text(chance: SeededRandom, kind: number): string {
  if (kind === 2) return chance.pick(heads);
  if (kind === 3) {
    const rest = chance.pick([
      "4\r\n{  }\r\n0\r\n\r\n",
      "{  }",
      "zz\r\n",
      "0\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]);
    return `POST /api/v1/pods HTTP/1.1\r\nHost: localhost\r\n${chance.pick(smuggling)}\r\n\r\n${rest}`;
  }
  const whole = chance.pick([get, post, chunked]);
  if (kind === 4) return whole.slice(0, chance.int(whole.length));
  // Oversized requests are expensive to build and send, so there are few.
  if (kind === 5 && chance.int(6) === 0) return bomb(chance);
  return chance.mutate(whole, pieces);
}

function bomb(chance: SeededRandom): string {
  const head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  const many = Array.from({ length: 5000 }, (_, index) => `X-${index}: y\r\n`).join("");
  return chance.pick([
    `${head}${many}\r\n`,
    `${head}X: ${"y".repeat(2 * 1024 * 1024)}\r\n\r\n`,
    `GET /${"a".repeat(2 * 1024 * 1024)} HTTP/1.1\r\n`,
    `${head}${"Cookie: a=b\r\n".repeat(3000)}\r\n`,
    `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;${"e".repeat(100_000)}\r\na\r\n`,
  ]);
}

function tcpBytes(chance: SeededRandom): Uint8Array {
  const length = chance.int(400);
  const hello = Buffer.from("16030100f8010000f40303", "hex");
  return chance.pick([
    randomBytes(length),
    Buffer.concat([hello, randomBytes(length)]),
    Buffer.from(get),
    Buffer.alloc(0),
    hello,
  ]);
}

function http2Bytes(chance: SeededRandom): Uint8Array {
  const settings = frame({ type: 4, flags: 0, stream: 0, payload: Buffer.alloc(0) });
  const start = Buffer.concat([Buffer.from(preface), settings]);
  const random = (): Buffer =>
    frame({
      type: chance.int(12),
      flags: chance.int(256),
      stream: chance.int(6),
      payload: randomBytes(chance.int(60)),
    });
  const flood = (one: Buffer): Buffer => Buffer.concat(Array.from({ length: 500 }, () => one));
  return chance.pick([
    Buffer.from(get),
    Buffer.from(preface.slice(0, chance.int(preface.length))),
    randomBytes(50),
    Buffer.concat([start, random(), random(), random()]),
    Buffer.concat([start, frame({ type: 1, flags: 4, stream: 1, payload: randomBytes(100) })]),
    Buffer.concat([start, flood(frame({ type: 6, flags: 0, stream: 0, payload: Buffer.alloc(8) }))]),
    Buffer.concat([start, flood(settings)]),
    Buffer.concat([
      start,
      frame({ type: 1, flags: 0, stream: 1, payload: Buffer.from([0x82]) }),
      flood(frame({ type: 9, flags: 0, stream: 1, payload: randomBytes(30) })),
    ]),
    Buffer.concat([start, frame({ type: 0, flags: 0, stream: 0, payload: Buffer.alloc(20_000) })]),
    Buffer.concat([start, Buffer.from("ffffff0400000000", "hex")]),
  ]);
}

function frame({
  type,
  flags,
  stream,
  payload,
}: {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
