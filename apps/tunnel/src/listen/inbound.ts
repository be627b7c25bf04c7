// One connection of the cluster to a LocalWorkload: a stream to the machine, and a clear response if the machine cannot serve it.

import type { Socket } from "node:net";
import type { Clock } from "@homeostat/core";
import { openStream, type Session, spliceSocket, type StreamFailedError, StreamRefusedError } from "@homeostat/tunnel";

/** Options of {@link forwardInbound}. */
export interface InboundOptions {
  readonly socket: Socket;
  readonly session: Session;
  readonly clock: Clock;
  readonly port: {
    readonly name: string;
    readonly protocol: string;
    readonly localHost: string;
    readonly localPort: number;
  };
  /** Name of the machine for people. */
  readonly machine: string;
  /** Called once when the connection has ended, with the bytes of both directions. */
  readonly onEnd: (bytes: { readonly toMachine: number; readonly fromMachine: number }) => void;
}

/** Connects a socket with the machine. */
export function forwardInbound({ socket, session, clock, port, machine, onEnd }: InboundOptions): void {
  let isHttp = port.protocol === "http" || port.protocol === "ws";
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    onEnd({ toMachine: socket.bytesRead, fromMachine: socket.bytesWritten });
  };
  socket.on("error", () => undefined);
  socket.once("close", end);
  const refuse = (failure: StreamFailedError | StreamRefusedError): void => {
    if (!isHttp) {
      socket.resetAndDestroy();
      return;
    }
    const body = `${failureText(failure, { port, machine })}\n`;
    socket.end(
      `HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nX-Sandbox-Error: ${errorCode(failure)}\r\n\r\n${body}`,
    );
  };
  // The protocol of a port is optional: a first line of HTTP/1 is good enough to answer in HTTP/1.
  if (port.protocol === "") socket.once("data", (chunk: Buffer) => (isHttp = looksLikeHttp(chunk)));
  try {
    const stream = openStream(
      session,
      {
        t: "in",
        port: port.name,
        protocol: port.protocol,
        src: `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`,
      },
      {
        clock,
        onAnswer: (failure) => {
          if (failure === undefined) return;
          // The socket is answered here, and not reset together with the stream.
          stream.handle({
            data: () => undefined,
            ended: () => undefined,
            drained: () => socket.resume(),
            closed: () => undefined,
          });
          refuse(failure);
        },
      },
    );
    spliceSocket(stream, socket);
  } catch (error) {
    if (!(error instanceof StreamRefusedError)) throw error;
    refuse(error);
  }
}

/** Returns the code of a failure for a header. The machine sends it: it is not trusted to be a code. */
function errorCode(failure: StreamFailedError | StreamRefusedError): string {
  if (failure instanceof StreamRefusedError) return "tunnel_lost";
  return /^[a-z_]{1,32}$/.test(failure.reason) ? failure.reason : "protocol";
}

function looksLikeHttp(chunk: Buffer): boolean {
  return /^[A-Z]{3,16} [^\r\n]{1,4096} HTTP\/1\.[01]\r\n/.test(chunk.subarray(0, 8_192).toString("latin1"));
}

function failureText(
  failure: StreamFailedError | StreamRefusedError,
  { port, machine }: Pick<InboundOptions, "port" | "machine">,
): string {
  const target = `${port.localHost}:${port.localPort}`;
  if (failure instanceof StreamRefusedError)
    return `The tunnel to ${machine} takes no more connections (${failure.reason}).`;
  if (failure.reason === "local_refused")
    return `Nothing listens on ${target} of ${machine}; start the local process for port ${port.name}.`;
  if (failure.reason === "local_timeout") return `The process on ${target} of ${machine} does not accept connections.`;
  return `The tunnel to ${machine} did not connect to ${target}: ${failure.reason}.`;
}
