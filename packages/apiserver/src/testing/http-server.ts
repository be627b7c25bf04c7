// A server for tests, and clients that work directly on sockets.

import { Agent, request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { ServerCertificates } from "../http/server-certificates.ts";
import type { Handler } from "../http/handler.ts";
import { HttpServer, type HttpServerOptions } from "../http/server.ts";

const credentials = new ServerCertificates();

/** A complete response. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** A running server and what its clients need. */
export interface TestServer {
  readonly server: HttpServer;
  readonly port: number;
  readonly ca: string;
  readonly credentials: ServerCertificates;
  send(path: string, options?: SendOptions): Promise<TestResponse>;
  /** Opens a TLS connection for raw bytes. */
  connect(protocols?: string[]): Promise<TLSSocket>;
  /** Sends raw bytes and returns everything received until the connection is closed. */
  raw(bytes: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

/** Options of one request. */
export interface SendOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
}

/** Starts a server. */
export async function startTestServer(
  handler: Handler,
  options: Omit<HttpServerOptions, "handler"> = {},
): Promise<TestServer> {
  const server = new HttpServer({ ...options, handler });
  const { port } = await server.listen({ certificate: credentials.server, clientAuthorities: credentials.ca });
  const { ca } = credentials;
  const agents = new Set<Agent>();
  const open = (protocols: string[] = ["http/1.1"]): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", ca, ALPNProtocols: protocols }, () => resolve(socket));
      socket.on("error", reject);
    });
  return {
    server,
    port,
    ca,
    credentials,
    connect: open,
    send: (path, { method = "GET", headers = {}, body, agent }: SendOptions = {}) =>
      new Promise((resolve, reject) => {
        const used = agent ?? new Agent({ ca });
        agents.add(used);
        const sending = request({ host: "127.0.0.1", port, path, method, headers, agent: used }, (got) => {
          const pieces: Buffer[] = [];
          got.on("data", (piece: Buffer) => pieces.push(piece));
          got.on("error", reject);
          got.on("end", () => {
            const whole = Buffer.concat(pieces);
            resolve({ status: got.statusCode ?? 0, headers: got.headers, body: whole, text: whole.toString("utf8") });
          });
        });
        sending.on("error", reject);
        sending.end(body);
      }),
    raw: async (bytes) => {
      const socket = await open();
      socket.write(bytes);
      let text = "";
      socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
      return text;
    },
    close: async () => {
      for (const agent of agents) agent.destroy();
      await server.stop({ graceMs: 0 });
    },
  };
}

/** Runs a function with a server and stops the server afterwards. */
export async function withTestServer(
  handler: Handler,
  options: Omit<HttpServerOptions, "handler">,
  use: (api: TestServer) => Promise<void>,
): Promise<void> {
  const api = await startTestServer(handler, options);
  try {
    await use(api);
  } finally {
    await api.close();
  }
}
