// Sends requests as raw bytes, so that no client library normalises them.

import { connect } from "node:tls";
import type { ApiAccess } from "@homeostat/kube";

/** A response. */
export interface RawResponse {
  readonly status: number;
  readonly statusText: string;
  /** Header names as received. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** TLS sessions by server: a full handshake per case would take most of the time. */
const sessions = new Map<string, Buffer>();

/** Sends bytes over a new connection and reads the response; the request should ask the server to close the connection. */
export function sendRaw({ server, ca, cert, key }: ApiAccess, bytes: string | Uint8Array): Promise<RawResponse> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const session = sessions.get(server);
    const identity = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
    const socket = connect(
      {
        host: hostname,
        port: Number(port),
        ...identity,
        ...(session === undefined ? {} : { session }),
        ALPNProtocols: ["http/1.1"],
      },
      () => {
        socket.write(bytes);
      },
    );
    socket.on("session", (made: Buffer) => sessions.set(server, made));
    socket.setTimeout(10_000, () => socket.destroy(new Error("no response within 10 s")));
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.on("error", reject);
    socket.on("close", () => resolve(parse(Buffer.concat(pieces).toString("latin1"))));
  });
}

function parse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const [, status = "0", statusText = ""] = /^HTTP\/1\.[01] (\d+) ?(.*)$/.exec(first) ?? [];
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const isChunked = headers.some(([name, value]) => name.toLowerCase() === "transfer-encoding" && value === "chunked");
  const rest = text.slice(end + 4);
  const body = Buffer.from(isChunked ? joinChunks(rest) : rest, "latin1").toString("utf8");
  return { status: Number(status), statusText, headers, body };
}

function joinChunks(text: string): string {
  let body = "";
  let at = 0;
  for (;;) {
    const end = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, end), 16);
    if (end === -1 || !(length > 0)) return body;
    body += text.slice(end + 2, end + 2 + length);
    at = end + 4 + length;
  }
}
