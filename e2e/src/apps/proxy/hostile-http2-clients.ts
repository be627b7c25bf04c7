// A program that opens many connections of HTTP/2 to a proxy and misuses them:
//
//   node hostile-http2-clients.js KIND PORT COUNT
//
// It prints `open` when all connections have sent their first bytes, and the numbers of connections by the error code of their GOAWAY when the proxy has
// closed all of them. `none` stands for connections without GOAWAY.

import { connect, type Socket } from "node:net";

const [kind = "", port = "", count = ""] = process.argv.slice(2);

const types = { headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8, continuation: 9 } as const;
const endStream = 1;
const endHeaders = 4;
const initialWindowSize = 4;
const windowMax = 2 ** 31 - 1;

function frame(type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(id, 5);
  return Buffer.concat([header, payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a text of HPACK without Huffman coding. Texts have fewer than 127 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
}

/** Returns the header block of `GET`: indexes of the static table for the method and the scheme, and the names of the path and the authority. */
function getBlock(path: string): Buffer {
  return Buffer.concat([Buffer.of(0x82, 0x86, 0x04), text(path), Buffer.of(0x01), text("shop")]);
}

function repeat(times: number, one: (index: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: times }, (_, index) => one(index)));
}

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** The settings of the proxy are never acknowledged, so it must keep the header table that clients have by default. */
const hello = Buffer.concat([preface, frame(types.settings, 0, 0)]);
const setting = Buffer.concat([Buffer.of(0, initialWindowSize), uint32(windowMax)]);
const wideHello = Buffer.concat([
  preface,
  frame(types.settings, 0, 0, setting),
  frame(types.windowUpdate, 0, 0, uint32(windowMax - 65_535)),
]);
const name = getBlock("/name");
/** A field of 4,000 bytes that enters the header table, and then 3,000 references to it: 12 MB in 7 KB. */
const bomb = Buffer.concat([
  name,
  Buffer.of(0x40),
  text("x-bomb"),
  // The length is more than 126: the rest of it follows in groups of seven bits.
  Buffer.of(0x7f, 0xa1, 0x1e),
  Buffer.alloc(4_000, "y"),
  Buffer.alloc(3_000, 0xbe),
]);

/** Bytes that a connection sends first, and those that it sends again and again until the proxy closes it. */
interface Attack {
  readonly first: Buffer;
  /** `round` counts from 0. Without it, the client only waits. */
  readonly next?: (round: number) => Buffer;
  /** True for a client that never reads. */
  readonly isStalled?: boolean;
}

const pings = repeat(1_000, () => frame(types.ping, 0, 0, Buffer.alloc(8)));

const attacks: Readonly<Record<string, Attack>> = {
  /** A header block without an end. */
  continuations: {
    first: Buffer.concat([hello, frame(types.headers, endStream, 1, name)]),
    next: () => repeat(100, () => frame(types.continuation, 0, 1)),
  },
  /** Requests that are cancelled at once. */
  resets: {
    first: hello,
    next: (round) =>
      repeat(100, (index) => {
        const id = 1 + 2 * (100 * round + index);
        return Buffer.concat([
          frame(types.headers, endHeaders | endStream, id, name),
          frame(types.reset, 0, id, uint32(8)),
        ]);
      }),
  },
  pings: { first: hello, next: () => pings },
  settings: { first: hello, next: () => repeat(1_000, () => frame(types.settings, 0, 0)) },
  /** Pings of a client that does not read the responses. */
  unreadPings: { first: hello, next: () => pings, isStalled: true },
  /** A window of the connection beyond the limit of the protocol. */
  windows: {
    first: Buffer.concat([hello, repeat(2, () => frame(types.windowUpdate, 0, 0, uint32(windowMax)))]),
  },
  /** A head that is far larger than its bytes, again and again. */
  bombs: {
    first: hello,
    next: (round) =>
      repeat(20, (index) => frame(types.headers, endHeaders | endStream, 1 + 2 * (20 * round + index), bomb)),
  },
  /** Large responses with windows for all of them, and no reads. 40 connections stay below the requests that may wait for a workload. */
  stalled: {
    first: Buffer.concat([
      wideHello,
      repeat(20, (index) => frame(types.headers, endHeaders | endStream, 1 + 2 * index, getBlock("/large"))),
    ]),
    isStalled: true,
  },
};

const attack = attacks[kind];
if (attack === undefined) throw new Error(`unknown kind ${kind}`);

/** Returns the error code of the first GOAWAY in what a connection has received. */
function goawayCode(received: Buffer): string {
  for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
    if (received[at + 3] === types.goaway && at + 17 <= received.length) return String(received.readUInt32BE(at + 13));
  return "none";
}

/** Runs one connection to its end, and returns its error code. */
function run({ first, next, isStalled = false }: Attack, onOpen: () => void): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port: Number(port), host: "127.0.0.1" });
    let received = Buffer.alloc(0);
    let round = -1;
    // One part per turn of the event loop, so that the client reads what the proxy says before it is reset.
    const send = (): void => {
      if (next === undefined || socket.destroyed) return;
      round += 1;
      if (socket.write(next(round))) setImmediate(send);
    };
    if (isStalled) socket.pause();
    else socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    socket.on("drain", send);
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(goawayCode(received)));
    socket.once("connect", () => {
      socket.write(first, () => {
        onOpen();
        send();
      });
    });
  });
}

// A socket that does not read does not keep the process alive, whose end would close all connections.
const alive = setInterval(() => undefined, 1_000);
let left = Number(count);
const codes: Record<string, number> = {};
const ended = Array.from({ length: Number(count) }, async () => {
  const code = await run(attack, () => {
    left -= 1;
    if (left === 0) console.log("open");
  });
  codes[code] = (codes[code] ?? 0) + 1;
});
await Promise.all(ended);
console.log(JSON.stringify(codes));
clearInterval(alive);
