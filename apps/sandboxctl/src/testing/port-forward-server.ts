// The port-forward of an API server, in front of a port of this machine: the WebSocket form with the sub-protocol v4.channel.k8s.io.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** The server. */
export class TestPortForwardServer implements Disposable {
  /** Heads of the requests. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      this.#track(client);
      let bytes: Buffer = Buffer.alloc(0);
      let target: Socket | undefined;
      client.on("data", (chunk) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (target === undefined) {
          const end = bytes.indexOf("\r\n\r\n");
          if (end < 0) return;
          const head = bytes.toString("latin1", 0, end);
          bytes = bytes.subarray(end + 4);
          this.requests.push(head);
          target = this.#track(connect({ port: targetPort, host: "127.0.0.1" }));
          accept(client, head);
          target.on("data", (data) => client.write(frame(Buffer.concat([Buffer.from([0]), data]))));
          target.on("close", () => client.destroy());
          client.on("close", () => target?.destroy());
        }
        for (let read = readFrame(bytes); read !== undefined; read = readFrame(bytes)) {
          bytes = read.rest;
          // The first byte of a message is its channel; only data is sent by clients.
          if (read.isData) target.write(read.payload.subarray(1));
        }
      });
    });
  }

  static async open(targetPort: number): Promise<TestPortForwardServer> {
    const server = new TestPortForwardServer(targetPort);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  /** Opens a connection to the server. */
  async connect(): Promise<Socket> {
    const address = this.#server.address();
    const socket = connect({
      port: typeof address === "object" && address !== null ? address.port : 0,
      host: "127.0.0.1",
    });
    await once(socket, "connect");
    return socket;
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
  }
}

/** Switches a connection to a WebSocket, and sends the port on both channels. */
function accept(client: Socket, head: string): void {
  const key = /^sec-websocket-key: (.*)$/im.exec(head)?.[1]?.trim() ?? "";
  const answer = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
  );
  for (const channel of [0, 1]) client.write(frame(Buffer.from([channel, 7443 & 0xff, 7443 >> 8])));
}

function frame(payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  if (payload.length > 0xffff) {
    const half = 0x8000;
    return Buffer.concat([
      frame(payload.subarray(0, half)),
      frame(Buffer.concat([Buffer.from([0]), payload.subarray(half)])),
    ]);
  }
  return Buffer.concat([Buffer.from([0x82, ...length]), payload]);
}

/** Reads a masked frame; undefined if it is not complete. */
function readFrame(
  bytes: Buffer,
): { readonly payload: Buffer; readonly rest: Buffer; readonly isData: boolean } | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = start + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(start, start + 4);
  const payload = Buffer.from(bytes.subarray(start + 4, end).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { payload, rest: bytes.subarray(end), isData: ((bytes[0] ?? 0) & 0x0f) <= 2 };
}
