import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  ack,
  endHeaders,
  endStream,
  frame,
  FrameSplitter,
  frameTypes,
  preface,
  tableSizeIn,
  uint32,
} from "./frames.ts";
import { type BlockPair, type Blocks, requestBlocks } from "./header-blocks.ts";
import { failure, type Lane, type LoadClient } from "./lane.ts";

/** Load of unary calls over HTTP/2 without TLS. */
export interface GrpcLoad {
  readonly port: number;
  readonly connections: number;
  /** Calls at a time on each connection. */
  readonly streams: number;
}

/** A message of 100 bytes with its prefix of gRPC. */
export const grpcMessage: Buffer = Buffer.concat([Buffer.of(0, 0, 0, 0, 100), Buffer.alloc(100, 0x61)]);
/** Received bytes after which the window of the connection is opened again. */
const windowStep = 16_384;

class GrpcConnection {
  readonly socket: Socket;
  readonly ready: Promise<void>;
  readonly #calls = new Map<number, () => void>();
  readonly #fail: (error: Error) => void;
  readonly #port: number;
  #blocks: BlockPair | undefined;
  #nextId = 1;
  #received = 0;
  #batch: Buffer[] = [];

  constructor({ port }: GrpcLoad, blocks: Blocks, fail: (error: Error) => void) {
    this.#port = port;
    this.#fail = fail;
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("error", fail);
    this.socket.on("end", () => fail(new Error(`port ${port} closed a connection`)));
    this.socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0)]));
    this.ready = new Promise((resolve) => {
      const splitter = new FrameSplitter((type, flags, id, payload) => {
        if (type === frameTypes.settings && (flags & ack) === 0) {
          this.#blocks ??= tableSizeIn(payload) === 0 ? blocks.withoutTable : blocks.withTable;
          this.socket.write(frame(frameTypes.settings, ack, 0));
          resolve();
        } else this.#frame(type, flags, id, payload);
      });
      this.socket.on("data", (chunk: Buffer) => splitter.push(chunk));
    });
  }

  call(done: () => void): void {
    const blocks = this.#blocks;
    if (blocks === undefined) return;
    const id = this.#nextId;
    this.#nextId += 2;
    this.#calls.set(id, done);
    const head = frame(frameTypes.headers, endHeaders, id, id === 1 ? blocks.first : blocks.later);
    this.#write(Buffer.concat([head, frame(frameTypes.data, endStream, id, grpcMessage)]));
  }

  /** Writes once per turn of the event loop, as clients with several calls do. */
  #write(bytes: Buffer): void {
    if (this.#batch.push(bytes) > 1) return;
    setImmediate(() => {
      this.socket.write(Buffer.concat(this.#batch));
      this.#batch = [];
    });
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === frameTypes.data) {
      this.#received += payload.length;
      if (this.#received >= windowStep) {
        this.#write(frame(frameTypes.windowUpdate, 0, 0, uint32(this.#received)));
        this.#received = 0;
      }
    } else if (type === frameTypes.ping && (flags & ack) === 0) this.#write(frame(frameTypes.ping, ack, 0, payload));
    else if (type === frameTypes.rstStream || type === frameTypes.goaway)
      this.#fail(new Error(`port ${this.#port} ended a stream or connection: ${payload.toString("latin1")}`));
    if ((flags & endStream) === 0 || (type !== frameTypes.headers && type !== frameTypes.data)) return;
    const done = this.#calls.get(id);
    this.#calls.delete(id);
    done?.();
  }
}

/** Opens connections and waits for their settings. */
export async function connectGrpc(load: GrpcLoad): Promise<LoadClient> {
  const { failed, fail } = failure();
  const blocks = await requestBlocks();
  const connections = Array.from({ length: load.connections }, () => new GrpcConnection(load, blocks, fail));
  await Promise.race([
    Promise.all(connections.map(({ socket, ready }) => Promise.all([once(socket, "connect"), ready]))),
    failed,
  ]);
  const lanes: Lane[] = connections.flatMap((connection) =>
    Array.from({ length: load.streams }, () => ({ send: (done: () => void) => connection.call(done) })),
  );
  return {
    lanes,
    failed,
    close: () => {
      for (const { socket } of connections) socket.removeAllListeners("end").destroy();
    },
  };
}
