// The aggregated discovery service of Envoy over gRPC: bidirectional streams of length-prefixed messages in HTTP/2.

import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { encodeDiscoveryResponse, readDiscoveryRequest } from "./discovery-messages.ts";
import { DiscoverySession, type EnvoyState, type Rejection } from "./discovery-session.ts";
import { frameMessage, MessageReader } from "./grpc-frames.ts";

const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/** Codes of gRPC. */
const grpcCodes = { invalidArgument: "3", unimplemented: "12", unavailable: "14" } as const;

/** A connected Envoy. */
export interface ConnectedEnvoy {
  /** The `node.id` of its bootstrap configuration. */
  readonly nodeId: string;
  /** True if it has confirmed all resources of the present state. */
  readonly isSynced: boolean;
  readonly rejections: readonly Rejection[];
}

interface Connection {
  readonly session: DiscoverySession;
  nodeId: string;
}

/** A server that sends one state to every Envoy that connects. Streams of more connections than the limit are refused. */
export class DiscoveryServer {
  readonly #connections = new Map<ServerHttp2Stream, Connection>();
  readonly #server: Http2Server;
  readonly #streamsMax: number;
  #state: EnvoyState;

  constructor(state: EnvoyState, { streamsMax = 1_000 }: { readonly streamsMax?: number } = {}) {
    this.#state = state;
    this.#streamsMax = streamsMax;
    this.#server = createServer({ settings: { maxConcurrentStreams: 4 } });
    this.#server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      this.#open(stream, String(headers[":path"]));
    });
  }

  /** Replaces the state and sends it to all connected Envoys. */
  update(state: EnvoyState): void {
    this.#state = state;
    for (const { session } of this.#connections.values()) session.update(state);
  }

  /** The connected Envoys. */
  get envoys(): readonly ConnectedEnvoy[] {
    return [...this.#connections.values()].map(({ nodeId, session }) => ({
      nodeId,
      isSynced: session.isSynced,
      rejections: session.rejections,
    }));
  }

  /** Listens until the signal aborts. Calls `onListening` with the port. */
  async run(
    {
      host,
      port,
      onListening,
    }: { readonly host: string; readonly port: number; readonly onListening: (port: number) => void },
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        onListening(typeof address === "object" ? (address?.port ?? port) : port);
      });
      const stop = (): void => {
        for (const stream of this.#connections.keys()) stream.session?.destroy();
        this.#server.close(() => resolve());
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #open(stream: ServerHttp2Stream, requested: string): void {
    stream.on("error", () => undefined);
    if (requested !== path) return refuse(stream, grpcCodes.unimplemented, "only the aggregated service is available");
    if (this.#connections.size >= this.#streamsMax) return refuse(stream, grpcCodes.unavailable, "too many streams");
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    let trailers: Record<string, string> = { "grpc-status": "0" };
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    const session = new DiscoverySession(this.#state, (response) => {
      stream.write(frameMessage(encodeDiscoveryResponse(response)));
    });
    const connection: Connection = { session, nodeId: "" };
    this.#connections.set(stream, connection);
    stream.on("close", () => this.#connections.delete(stream));
    const reader = new MessageReader();
    stream.on("data", (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) {
          const request = readDiscoveryRequest(message);
          if (request.nodeId !== undefined) connection.nodeId = request.nodeId;
          session.request(request);
        }
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        trailers = { "grpc-status": grpcCodes.invalidArgument, "grpc-message": encodeURIComponent(text) };
        this.#connections.delete(stream);
        stream.end();
      }
    });
    stream.on("end", () => stream.end());
  }
}

function refuse(stream: ServerHttp2Stream, code: string, message: string): void {
  const status = { "grpc-status": code, "grpc-message": encodeURIComponent(message) };
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
}
