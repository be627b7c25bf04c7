import { type OnReadOpts, Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** Size of a read, the same as Node's own. */
const readBytes = 65_536;

/** All connections read into one buffer: a read and its callback are one step of the event loop. */
const shared: Buffer = Buffer.allocUnsafeSlow(readBytes);

/** Options of a connection whose owner reads into the shared buffer. */
export interface DirectReadOptions {
  /** Receives bytes, which are valid only during the call. */
  receive(bytes: Buffer): void;
}

/** Returns the read options of a new connection. */
export function directReads(options: DirectReadOptions): OnReadOpts {
  return {
    buffer: shared,
    callback: (count) => {
      options.receive(shared.subarray(0, count));
      return true;
    },
  };
}

/** Returns bytes that stay valid after the call that received them: a copy if they are in the shared buffer. */
export function keepBytes(bytes: Buffer): Buffer {
  return bytes.buffer === shared.buffer ? Buffer.from(bytes) : bytes;
}

/**
 * Returns a socket that reads into a shared buffer and calls `receive`, in place of an accepted socket, which must not be used any more.
 *
 * Node allocates 64 KiB for every read of an accepted socket, and passes the bytes through its stream classes: a sixth of the CPU time of a small
 * request. Its option `onread` avoids both, but `createServer` does not take it. A second socket for the same handle does. Sockets without a
 * handle that can do so (TLS, simulated networks, another version of Node) return undefined, and emit `data` as usual.
 */
export function takeReads(accepted: Socket, options: DirectReadOptions): Socket | undefined {
  const handle: unknown = Reflect.get(accepted, "_handle");
  if (accepted instanceof TLSSocket || !canReadDirectly(handle)) return undefined;
  Reflect.set(accepted, "_handle", null);
  const withHandle = { handle, allowHalfOpen: true, onread: directReads(options) };
  const socket = new Socket(withHandle);
  // The server counts the accepted socket among its connections until this.
  socket.once("close", () => accepted.destroy());
  return socket;
}

function canReadDirectly(handle: unknown): handle is object {
  return typeof handle === "object" && handle !== null && "useUserBuffer" in handle;
}
