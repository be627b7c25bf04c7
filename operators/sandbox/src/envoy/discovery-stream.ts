// One stream of the aggregated discovery service of Envoy over gRPC: length-prefixed messages in both directions of an HTTP/2 stream.

import type { ServerHttp2Stream } from "node:http2";
import { encodeDiscoveryResponse, readDiscoveryRequest } from "./discovery-messages.ts";
import { DiscoverySession, type EnvoyState, type Rejection } from "./discovery-session.ts";
import { frameMessage, MessageReader } from "./grpc-frames.ts";

/** Path of the requests of Envoy. */
export const discoveryPath = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/** Status codes of gRPC. */
const grpcCodes = {
  invalidArgument: 3,
  permissionDenied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Status with which a stream of Envoy ends or is refused. */
export interface DiscoveryEnd {
  readonly code: keyof typeof grpcCodes;
  readonly message: string;
}

/** Refuses a stream that has not been opened. */
export function refuseDiscovery(stream: ServerHttp2Stream, end: DiscoveryEnd): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...trailersOf(end) }, { endStream: true });
}

/** An open stream. It sends the current state, and each later one that {@link update} sets. */
export class DiscoveryStream {
  readonly #stream: ServerHttp2Stream;
  readonly #session: DiscoverySession;
  readonly #reader = new MessageReader();
  #trailers: Readonly<Record<string, string>> = { "grpc-status": "0" };
  #nodeId = "";

  /** Opens the stream. `onRequest` is called after each request of Envoy: it may have confirmed or rejected resources. */
  constructor(
    stream: ServerHttp2Stream,
    { state, onRequest = () => undefined }: { readonly state: EnvoyState; readonly onRequest?: () => void },
  ) {
    this.#stream = stream;
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    // The compatibility API of node:http2, if the server uses it, would send trailers of its own.
    stream.removeAllListeners("wantTrailers");
    stream.on("wantTrailers", () => stream.sendTrailers(this.#trailers));
    this.#session = new DiscoverySession(state, (response) => {
      if (stream.writable) stream.write(frameMessage(encodeDiscoveryResponse(response)));
    });
    stream.on("data", (chunk: Buffer) => this.#read(chunk, onRequest));
    stream.on("end", () => stream.end());
  }

  /** The `node.id` of the bootstrap configuration; empty until Envoy has sent its first request. */
  get nodeId(): string {
    return this.#nodeId;
  }

  /** True if Envoy has confirmed all resources of the current state. */
  get isSynced(): boolean {
    return this.#session.isSynced;
  }

  get rejections(): readonly Rejection[] {
    return this.#session.rejections;
  }

  /** Replaces the state and sends what changed. */
  update(state: EnvoyState): void {
    this.#session.update(state);
  }

  /** Ends the stream with a status of gRPC. */
  end(end: DiscoveryEnd): void {
    if (!this.#stream.writable) return;
    this.#trailers = trailersOf(end);
    this.#stream.end();
  }

  #read(chunk: Buffer, onRequest: () => void): void {
    try {
      for (const message of this.#reader.push(chunk)) {
        const request = readDiscoveryRequest(message);
        if (request.nodeId !== undefined) this.#nodeId = request.nodeId;
        this.#session.request(request);
        onRequest();
      }
    } catch (error) {
      this.end({ code: "invalidArgument", message: error instanceof Error ? error.message : String(error) });
    }
  }
}

function trailersOf({ code, message }: DiscoveryEnd): Readonly<Record<string, string>> {
  return { "grpc-status": String(grpcCodes[code]), "grpc-message": encodeURIComponent(message) };
}
