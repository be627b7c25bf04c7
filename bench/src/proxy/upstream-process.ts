// A server of HTTP/1.1 and HTTP/2 without TLS, at a cost far below that of a proxy. It responds to `GET /bytes/N` with N bytes, and to every
// stream of HTTP/2 with a message of gRPC. Usage: node upstream-process.js PORT
import { createServer, type Socket } from "node:net";
import {
  ack,
  defaultTableSize,
  endHeaders,
  endStream,
  frame,
  FrameSplitter,
  frameTypes,
  preface,
  tableSizeIn,
  uint32,
} from "./frames.ts";
import { grpcMessage } from "./grpc-client.ts";
import { responseBlocks } from "./header-blocks.ts";

const headEnd = Buffer.from("\r\n\r\n");
const bodies = new Map<number, Buffer>();
const blocks = { withTable: await responseBlocks(defaultTableSize), withoutTable: await responseBlocks(0) };
/** Received bytes after which the window of the connection is opened again. */
const windowStep = 16_384;

function responseOf(size: number): Buffer {
  const known = bodies.get(size);
  if (known !== undefined) return known;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${size}\r\n\r\n`;
  const response = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 0x78)]);
  bodies.set(size, response);
  return response;
}

function serveHttp1(socket: Socket): (chunk: Buffer) => void {
  return (chunk) => {
    // Each head arrives in one piece: proxies write it at once. Bodies of requests contain no empty line.
    let from = 0;
    for (let at = chunk.indexOf(headEnd); at !== -1; at = chunk.indexOf(headEnd, from)) {
      const size = /^GET \/bytes\/(\d+)/.exec(chunk.toString("latin1", from, from + 32));
      socket.write(responseOf(size === null ? 0 : Number(size[1])));
      from = at + headEnd.length;
    }
  };
}

function serveHttp2(socket: Socket): (chunk: Buffer) => void {
  let out: Buffer[] = [];
  let received = 0;
  let isFirst = true;
  let own = blocks.withTable;
  const write = (bytes: Buffer): void => {
    if (out.push(bytes) > 1) return;
    setImmediate(() => {
      socket.write(Buffer.concat(out));
      out = [];
    });
  };
  write(frame(frameTypes.settings, 0, 0));
  const splitter = new FrameSplitter((type, flags, id, payload) => {
    if (type === frameTypes.settings && (flags & ack) === 0) {
      if (isFirst && tableSizeIn(payload) === 0) own = blocks.withoutTable;
      write(frame(frameTypes.settings, ack, 0));
    } else if (type === frameTypes.ping && (flags & ack) === 0) write(frame(frameTypes.ping, ack, 0, payload));
    else if (type === frameTypes.data) {
      received += payload.length;
      if (received >= windowStep) {
        write(frame(frameTypes.windowUpdate, 0, 0, uint32(received)));
        received = 0;
      }
    }
    if ((flags & endStream) === 0 || (type !== frameTypes.headers && type !== frameTypes.data)) return;
    write(frame(frameTypes.headers, endHeaders, id, isFirst ? own.head.first : own.head.later));
    write(frame(frameTypes.data, 0, id, grpcMessage));
    write(frame(frameTypes.headers, endHeaders | endStream, id, isFirst ? own.trailers.first : own.trailers.later));
    isFirst = false;
  });
  return (chunk) => splitter.push(chunk);
}

createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (first: Buffer) => {
    // Proxies send the preface with their settings.
    const isHttp2 = first.subarray(0, preface.length).equals(preface);
    const receive = isHttp2 ? serveHttp2(socket) : serveHttp1(socket);
    receive(isHttp2 ? first.subarray(preface.length) : first);
    socket.on("data", receive);
  });
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
