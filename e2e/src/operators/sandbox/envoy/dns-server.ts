// A DNS server that resolves every name to the loopback address (RFC 1035, section 4). Envoy resolves the names of Services with it.

import { createSocket, type Socket } from "node:dgram";

const headerBytes = 12;
const typeA = 1;
/** A response, recursion available. */
const responseFlags = 0x81_80;

/** A running server. */
export class DnsServer implements AsyncDisposable {
  readonly #socket: Socket;
  readonly port: number;

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.port = port;
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket("udp4");
    socket.on("message", (query, { port, address }) => {
      const response = responseTo(query);
      if (response !== undefined) socket.send(response, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return new DnsServer(socket, socket.address().port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }
}

/** Returns the response to a query with one question: the loopback address for type A, and no address for other types. */
function responseTo(query: Buffer): Buffer | undefined {
  const nameEnd = query.indexOf(0, headerBytes);
  const questionEnd = nameEnd + 5;
  if (nameEnd === -1 || query.length < questionEnd) return undefined;
  const isAddress = query.readUInt16BE(nameEnd + 1) === typeA;
  const header = Buffer.from(query.subarray(0, headerBytes));
  header.writeUInt16BE(responseFlags, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAddress ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  // A pointer to the name of the question, type A, class IN, 60 seconds, four bytes.
  const answer = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, query.subarray(headerBytes, questionEnd), ...(isAddress ? [answer] : [])]);
}
