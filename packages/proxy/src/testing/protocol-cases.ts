// The protocol matrix: one request of each kind, with the response that every proxy must pass on. The cases know no engine, so that they also
// run through other proxies that are configured by the same tables.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import type { HttpProtocol } from "../router/route-plan.ts";

/** Address of a proxy, and the header fields that choose the route. */
export interface CaseTarget {
  readonly port: number;
  readonly fields: Readonly<Record<string, string>>;
}

/** The response that a client has received. */
export interface CaseOutcome {
  readonly status: number;
  /** Name of the upstream that responded; undefined if the proxy did. */
  readonly upstream: string | undefined;
  readonly body: string;
  readonly trailers: Readonly<Record<string, string>>;
  /** Statuses of informational responses. */
  readonly interim: readonly number[];
  readonly grpcStatus: string | undefined;
}

/** A kind of request. */
export interface ProtocolCase {
  readonly name: string;
  readonly protocol: HttpProtocol;
  readonly isGrpc?: true;
  readonly send: (target: CaseTarget) => Promise<CaseOutcome>;
  /** Response of an upstream, beside its name. */
  readonly expected: Partial<CaseOutcome>;
}

/** Response header with the name of the upstream. */
export const upstreamHeader = "x-upstream";
export const uploadBytes: number = 4 * 1024 * 1024;
const upload = Buffer.alloc(uploadBytes, "0123456789");
/** Body of the response to an upload. */
export const uploadReceipt: string = createHash("sha256").update(upload).digest("hex");
export const events: readonly string[] = ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"];
const grpcFields = { "content-type": "application/grpc", te: "trailers" };
const nothing = { upstream: undefined, body: "", trailers: {}, interim: [], grpcStatus: undefined } as const;

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

interface Http1Call {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly write?: (outgoing: ClientRequest) => void;
}

async function http1({ port, fields }: CaseTarget, call: Http1Call): Promise<CaseOutcome> {
  const { method = "GET", path, write = (outgoing) => void outgoing.end() } = call;
  const headers = { ...fields, ...call.fields };
  const outgoing = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false });
  const interim: number[] = [];
  outgoing.on("information", ({ statusCode }) => interim.push(statusCode));
  write(outgoing);
  return new Promise((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("upgrade", (message, socket) => {
      socket.once("data", (chunk: Buffer) => {
        socket.destroy();
        resolve({ ...nothing, status: 101, upstream: nameOf(message.headers[upstreamHeader]), body: chunk.toString() });
      });
      socket.write("ping");
    });
    outgoing.on("response", (message: IncomingMessage) => {
      const ended = textOf(message).then((body) => {
        outgoing.destroy();
        const trailers = Object.fromEntries(
          Object.entries(message.trailers).map(([name, value]) => [name, value ?? ""]),
        );
        const upstream = nameOf(message.headers[upstreamHeader]);
        return { ...nothing, status: message.statusCode ?? 0, upstream, body, trailers, interim };
      });
      resolve(ended);
    });
  });
}

async function http2(
  { port, fields }: CaseTarget,
  headers: OutgoingHttpHeaders,
  write: (stream: ClientHttp2Stream) => void | Promise<void> = (stream) => void stream.end(),
): Promise<CaseOutcome> {
  const client: ClientHttp2Session = connect(`http://127.0.0.1:${port}`);
  try {
    // Extended CONNECT needs the settings of the server.
    await once(client, "remoteSettings");
    const stream = client.request(
      { ":scheme": "http", ":authority": "cart.shop", ...headers, ...fields },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "c1" }));
    let trailers: Record<string, string> = {};
    stream.on("trailers", (received) => {
      trailers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
    });
    const response = once(stream, "response");
    const written = Promise.resolve(write(stream));
    const [received] = await response;
    const body = await textOf(stream);
    await written;
    const upstream = nameOf(received[upstreamHeader]);
    const grpcStatus = trailers["grpc-status"] ?? nameOf(received["grpc-status"]);
    return { ...nothing, status: Number(received[":status"]), upstream, body, trailers, grpcStatus };
  } finally {
    client.destroy();
  }
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Sends messages one by one, each after the echo of the one before. Stops if the proxy responds instead. */
async function converse(stream: ClientHttp2Stream): Promise<void> {
  const [headers] = await once(stream, "response");
  if (headers[upstreamHeader] === undefined) return;
  for (const message of ["a", "b", "c"]) {
    stream.write(message);
    await once(stream, "data");
  }
  stream.end();
}

/** All kinds of requests. */
export const protocolCases: readonly ProtocolCase[] = [
  {
    name: "HTTP/1.1 GET",
    protocol: "http1",
    send: (target) => http1(target, { path: "/plain" }),
    expected: { status: 200, body: "hello" },
  },
  {
    name: "HTTP/1.1 HEAD",
    protocol: "http1",
    send: (target) => http1(target, { method: "HEAD", path: "/plain" }),
    expected: { status: 200, body: "" },
  },
  {
    name: "HTTP/1.1 chunked body with trailers",
    protocol: "http1",
    send: (target) =>
      http1(target, {
        method: "POST",
        path: "/trailers",
        fields: { "transfer-encoding": "chunked", trailer: "x-checksum" },
        write: (outgoing) => {
          outgoing.write("one ");
          outgoing.write("two");
          outgoing.addTrailers({ "x-checksum": "c1" });
          outgoing.end();
        },
      }),
    expected: { status: 200, body: "one two", trailers: { "x-echo": "c1" } },
  },
  {
    name: "HTTP/1.1 100-continue",
    protocol: "http1",
    send: (target) =>
      http1(target, {
        method: "POST",
        path: "/continue",
        fields: { expect: "100-continue", "content-length": "4" },
        write: (outgoing) => {
          outgoing.on("continue", () => outgoing.end("body"));
          outgoing.flushHeaders();
        },
      }),
    expected: { status: 200, body: "body", interim: [100] },
  },
  {
    name: "HTTP/1.1 server-sent events",
    protocol: "http1",
    send: (target) => http1(target, { path: "/events" }),
    expected: { status: 200, body: events.join("") },
  },
  {
    name: "HTTP/1.1 WebSocket",
    protocol: "http1",
    send: (target) => http1(target, { path: "/ws", fields: { connection: "upgrade", upgrade: "websocket" } }),
    expected: { status: 101, body: "ping" },
  },
  {
    name: "HTTP/1.1 large upload",
    protocol: "http1",
    send: (target) =>
      http1(target, {
        method: "PUT",
        path: "/upload",
        fields: { "content-length": String(uploadBytes) },
        write: (outgoing) => {
          // A proxy that responds early closes the connection; its response counts.
          outgoing.on("error", () => undefined);
          outgoing.end(upload);
        },
      }),
    expected: { status: 200, body: uploadReceipt },
  },
  {
    name: "HTTP/2 GET",
    protocol: "http2",
    send: (target) => http2(target, { ":path": "/plain" }),
    expected: { status: 200, body: "hello" },
  },
  {
    name: "HTTP/2 HEAD",
    protocol: "http2",
    send: (target) => http2(target, { ":method": "HEAD", ":path": "/plain" }),
    expected: { status: 200, body: "" },
  },
  {
    name: "HTTP/2 server-sent events",
    protocol: "http2",
    send: (target) => http2(target, { ":path": "/events" }),
    expected: { status: 200, body: events.join("") },
  },
  {
    name: "HTTP/2 large upload",
    protocol: "http2",
    send: (target) => http2(target, { ":method": "PUT", ":path": "/upload" }, (stream) => void stream.end(upload)),
    expected: { status: 200, body: uploadReceipt },
  },
  {
    name: "HTTP/2 WebSocket by extended CONNECT",
    protocol: "http2",
    send: (target) =>
      http2(target, { ":method": "CONNECT", ":protocol": "websocket", ":path": "/ws" }, async (stream) => {
        await once(stream, "response");
        stream.end("ping");
      }),
    expected: { status: 200, body: "ping" },
  },
  {
    name: "gRPC unary call",
    protocol: "http2",
    isGrpc: true,
    send: (target) =>
      http2(
        target,
        { ":method": "POST", ":path": "/pkg.Svc/Unary", ...grpcFields },
        (stream) => void stream.end("one"),
      ),
    expected: { status: 200, body: "one", grpcStatus: "0", trailers: { "grpc-status": "0", "x-echo": "c1" } },
  },
  {
    name: "gRPC bidirectional stream",
    protocol: "http2",
    isGrpc: true,
    send: (target) => http2(target, { ":method": "POST", ":path": "/pkg.Svc/Chat", ...grpcFields }, converse),
    expected: { status: 200, grpcStatus: "0" },
  },
];
