import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect, createServer, type Server, Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { FakeClock, nextTurn, systemClock } from "@homeostat/core";
import { SocketCarrier } from "../carrier/socket-carrier.ts";
import { Session } from "../mux/session.ts";
import type { MuxStream, StreamHandlers } from "../mux/stream.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { spliceSocket } from "./splice-socket.ts";

/** Two sessions over a real connection: a client that connects to the entry port reaches the target. */
class Tunnel {
  readonly #servers: Server[] = [];
  readonly #sessions: Session[] = [];
  readonly ends: boolean[] = [];
  entryPort = 0;

  static async start(target: (socket: Socket) => void): Promise<Tunnel> {
    const tunnel = new Tunnel();
    const targetPort = await tunnel.#listen(target);
    const carriers = new EventEmitter();
    const carrierPort = await tunnel.#listen((socket) => carriers.emit("accepted", socket));
    const outgoing = connect({ port: carrierPort, host: "127.0.0.1" });
    const [incoming] = (await once(carriers, "accepted")) as [Socket];
    const entering = tunnel.#session("server", incoming, () => undefined);
    tunnel.#session("client", outgoing, (stream) => {
      const socket = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
      stream.accept();
      spliceSocket(stream, socket, ({ isClean }) => tunnel.ends.push(isClean));
    });
    tunnel.entryPort = await tunnel.#listen((socket) => {
      const handlers = {
        data: () => undefined,
        ended: () => undefined,
        drained: () => undefined,
        closed: () => undefined,
      };
      spliceSocket(entering.open(handlers), socket);
    });
    return tunnel;
  }

  connect(): Socket {
    return connect({ port: this.entryPort, host: "127.0.0.1", allowHalfOpen: true });
  }

  stop(): void {
    for (const session of this.#sessions) session.close();
    for (const server of this.#servers) server.close();
  }

  #session(side: "client" | "server", socket: Socket, onStream: (stream: MuxStream) => void): Session {
    const session = Session.start({
      carrier: new SocketCarrier(socket),
      side,
      clock: systemClock,
      onStream,
      onEnd: () => undefined,
    });
    this.#sessions.push(session);
    return session;
  }

  async #listen(accept: (socket: Socket) => void): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, accept);
    this.#servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }
}

/** A socket that counts the chunks of each system call. */
class CountingSocket extends Socket {
  readonly calls: number[] = [];
  readonly #onCall: () => void;

  constructor({ onCall = () => undefined }: { readonly onCall?: () => void } = {}) {
    super();
    this.#onCall = onCall;
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.calls.push(1);
    this.#onCall();
    done();
  }

  override _writev(chunks: readonly unknown[], done: () => void): void {
    this.calls.push(chunks.length);
    this.#onCall();
    done();
  }
}

/** Resolves with everything that a socket sends until it ends its direction. */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  return Buffer.concat(chunks);
}

describe("spliceSocket", () => {
  let tunnel: Tunnel;
  before(async () => {
    // Sends everything back after the end of the request, as a server that needs half-open connections does.
    tunnel = await Tunnel.start((socket) => void readAll(socket).then((all) => socket.end(all)));
  });
  after(() => tunnel.stop());

  it("carries both directions and their ends", async () => {
    const client = tunnel.connect();
    const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index & 0xff));
    client.end(body);

    const response = await readAll(client);

    assert.ok(response.equals(body));
    assert.deepEqual(tunnel.ends.slice(-1), [true]);
  });

  it("carries many connections at the same time", async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const client = tunnel.connect();
        client.end(`request ${index}`);
        return (await readAll(client)).toString();
      }),
    );

    assert.deepEqual(
      responses,
      Array.from({ length: 50 }, (_, index) => `request ${index}`),
    );
  });

  it("resets the other side when a socket is destroyed", async () => {
    const broken = await Tunnel.start((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.resetAndDestroy());
    });
    const client = broken.connect();
    client.resume();
    client.write("hello");

    await assert.rejects(once(client, "close"), { code: "ECONNRESET" });
    broken.stop();
  });

  it("writes the large chunks of one turn together, and a small one at once", async () => {
    const socket = new CountingSocket();
    const [near, far] = memoryCarriers();
    const common = { clock: new FakeClock(), onEnd: () => undefined };
    const onStream = (stream: MuxStream): void => spliceSocket(stream, socket);
    const receiver = Session.start({ ...common, carrier: far, side: "server", onStream });
    const none = (): void => undefined;
    const sender = Session.start({ ...common, carrier: near, side: "client", onStream: none });
    const stream = sender.open({ data: none, ended: none, drained: none, closed: none });

    stream.write(Buffer.from("small"));
    await Promise.resolve();
    assert.deepEqual(socket.calls, [1]);
    for (let chunk = 0; chunk < 3; chunk += 1) stream.write(Buffer.alloc(16 * 1024));
    await nextTurn();
    await nextTurn();

    assert.deepEqual(socket.calls, [1, 3]);
    sender.close();
    receiver.close();
  });

  it("writes to all sockets of a turn before the first stream reports its bytes as consumed", async () => {
    const order: string[] = [];
    const handlers = ["first", "second"].map((name) => {
      const socket = new CountingSocket({ onCall: () => order.push(`write ${name}`) });
      const received: StreamHandlers[] = [];
      const stream = {
        handle: (own: StreamHandlers) => void received.push(own),
        write: () => true,
        end: () => undefined,
        reset: () => undefined,
        consumed: () => void order.push(`consumed ${name}`),
      };
      spliceSocket(stream, socket);
      return received[0];
    });

    for (const each of handlers) each?.data(Buffer.alloc(16 * 1024));
    await nextTurn();

    assert.deepEqual(order, ["write first", "write second", "consumed first", "consumed second"]);
  });

  it("delivers what waits for the window after the socket has closed", async () => {
    const [near, far] = memoryCarriers();
    const clock = new FakeClock();
    const streams: MuxStream[] = [];
    const common = { clock, onEnd: () => undefined };
    const sender = Session.start({ ...common, carrier: near, side: "client", onStream: () => undefined });
    Session.start({ ...common, carrier: far, side: "server", onStream: (stream) => streams.push(stream) });
    const sent = Buffer.alloc(400 * 1024, "x");
    const server = createServer({ allowHalfOpen: true }, (socket) => void socket.resume().end(sent)).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const socket = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
    const stream = sender.open(new StreamRecorder());
    spliceSocket(stream, socket);
    await new Promise(setImmediate);
    // The reader ends its direction and consumes nothing: more than its window stays queued at the sender.
    const reader = new StreamRecorder({ consumes: false });
    streams[0]?.handle(reader);
    reader.stream = streams[0];
    streams[0]?.end();
    await once(socket, "close");
    assert.ok(stream.queuedBytes > 0, "nothing waited for the window");

    while (reader.bytes < sent.length && !stream.isClosed) {
      const before = reader.bytes;
      streams[0]?.consumed(streams[0].unreadBytes);
      await new Promise(setImmediate);
      assert.ok(reader.bytes > before, "the stream stands still");
    }

    assert.equal(reader.bytes, sent.length);
    assert.deepEqual(reader.events.slice(-2), ["ended", "closed: finished"]);
    server.close();
  });
});
