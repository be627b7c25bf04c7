import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { EnvoyState, Rejection } from "./discovery-session.ts";
import { discoveryPath, DiscoveryStream, refuseDiscovery } from "./discovery-stream.ts";

/** A connected Envoy. */
export interface ConnectedEnvoy {
  /** The `node.id` of its bootstrap configuration. */
  readonly nodeId: string;
  /** True if it has confirmed all resources of the current state. */
  readonly isSynced: boolean;
  readonly rejections: readonly Rejection[];
}

/**
 * A server without TLS and authentication that sends one state to every Envoy that connects, for tests and for Envoys in the same pod. The
 * route server serves the same streams with both.
 */
export class DiscoveryServer {
  readonly #streams = new Map<ServerHttp2Stream, DiscoveryStream>();
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
    for (const stream of this.#streams.values()) stream.update(state);
  }

  /** The connected Envoys. */
  get envoys(): readonly ConnectedEnvoy[] {
    return [...this.#streams.values()].map(({ nodeId, isSynced, rejections }) => ({ nodeId, isSynced, rejections }));
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
        for (const stream of this.#streams.keys()) stream.session?.destroy();
        this.#server.close(() => resolve());
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #open(stream: ServerHttp2Stream, requested: string): void {
    stream.on("error", () => undefined);
    if (requested !== discoveryPath)
      return refuseDiscovery(stream, { code: "unimplemented", message: "only the aggregated service is available" });
    if (this.#streams.size >= this.#streamsMax)
      return refuseDiscovery(stream, { code: "unavailable", message: "too many streams" });
    this.#streams.set(stream, new DiscoveryStream(stream, { state: this.#state }));
    stream.on("close", () => this.#streams.delete(stream));
  }
}
