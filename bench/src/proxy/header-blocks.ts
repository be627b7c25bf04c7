import { once } from "node:events";
import { connect as connectHttp2, createServer as createHttp2 } from "node:http2";
import { type AddressInfo, connect, createServer } from "node:net";
import { routingKey } from "./http1-client.ts";
import {
  defaultTableSize,
  endHeaders,
  endStream,
  frame,
  FrameSplitter,
  frameTypes,
  preface,
  settingsFrame,
} from "./frames.ts";

/** Header blocks of the messages of a connection: the first one fills the table of the receiver, later ones refer to it. */
export interface BlockPair {
  readonly first: Buffer;
  readonly later: Buffer;
}

/** Blocks by the size of the header table that the receiver announces. */
export type Blocks = Readonly<Record<"withTable" | "withoutTable", BlockPair>>;

const requestFields = {
  ":method": "POST",
  ":scheme": "http",
  ":path": "/shop.Cart/Get",
  ":authority": "cart.shop.svc.cluster.local",
  "content-type": "application/grpc",
  "user-agent": "grpc-go/1.70.0",
  te: "trailers",
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  baggage: `user=7,tenant=blue,routing-key=${routingKey}`,
};

/** Returns the blocks of requests, as Node's client (nghttp2) encodes them: clients use the table if the server allows one. */
export async function requestBlocks(): Promise<Blocks> {
  return { withTable: await capture(defaultTableSize), withoutTable: await capture(0) };
}

async function capture(tableSize: number): Promise<BlockPair> {
  const blocks: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(settingsFrame(tableSize));
    let skipped = 0;
    const splitter = new FrameSplitter((type, flags, id, payload) => {
      if (type === frameTypes.settings && flags === 0) socket.write(frame(frameTypes.settings, 1, 0));
      if (type !== frameTypes.headers) return;
      blocks.push(withoutPriority(flags, payload));
      socket.write(frame(frameTypes.headers, endHeaders | endStream, id, Buffer.of(0x88)));
    });
    socket.on("data", (chunk: Buffer) => {
      const from = Math.min(chunk.length, preface.length - skipped);
      skipped += from;
      if (from < chunk.length) splitter.push(chunk.subarray(from));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(client, "remoteSettings");
  for (let request = 0; request < 3; request += 1) {
    const stream = client.request(requestFields);
    stream.end();
    stream.resume();
    await once(stream, "close");
  }
  client.destroy();
  server.close();
  return pairOf(blocks, 1);
}

/** Blocks of responses. */
export interface ResponseBlocks {
  readonly head: BlockPair;
  readonly trailers: BlockPair;
}

/** Returns the blocks of responses and trailers, as Node's server encodes them, for a receiver with a size of the header table. */
export async function responseBlocks(tableSize: number): Promise<ResponseBlocks> {
  const server = createHttp2();
  server.on("stream", (stream) => {
    // A constant date, because blocks of later responses are sent again.
    const fields = { ":status": 200, "content-type": "application/grpc", date: "Wed, 18 Nov 2026 03:00:00 GMT" };
    stream.respond(fields, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "grpc-message": "" }));
    stream.end("x");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const blocks: Buffer[] = [];
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  const request = (id: number): Buffer =>
    frame(frameTypes.headers, endHeaders | endStream, id, Buffer.from([0x83, 0x86, 0x84, 0x01, 0x01, 0x61]));
  await new Promise<void>((resolve) => {
    const splitter = new FrameSplitter((type, flags, id, payload) => {
      if (type === frameTypes.settings && flags === 0) socket.write(frame(frameTypes.settings, 1, 0));
      if (type !== frameTypes.headers) return;
      blocks.push(withoutPriority(flags, payload));
      if (blocks.length === 6) resolve();
      else if (blocks.length % 2 === 0) socket.write(request(id + 2));
    });
    socket.on("data", (chunk: Buffer) => splitter.push(chunk));
    socket.write(Buffer.concat([preface, settingsFrame(tableSize), request(1)]));
  });
  socket.destroy();
  server.close();
  return {
    head: pairOf([blocks[0], blocks[2], blocks[4]], 1),
    trailers: pairOf([blocks[1], blocks[3], blocks[5]], 1),
  };
}

function pairOf(blocks: readonly (Buffer | undefined)[], at: number): BlockPair {
  const [first, later, third] = [blocks[0], blocks[at], blocks[at + 1]];
  if (first === undefined || later === undefined || third?.equals(later) !== true)
    throw new Error("later header blocks of one connection differ");
  return { first, later };
}

function withoutPriority(flags: number, payload: Buffer): Buffer {
  return Buffer.from((flags & 0x20) === 0 ? payload : payload.subarray(5));
}
