import { FakeClock } from "@homeostat/core";
import { Http2Engine } from "../http2/engine.ts";
import { errorCodes, frameTypes } from "../http2/protocol.ts";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import type { IncomingRequest, RoutePlan } from "../router/route-plan.ts";
import { clientHello, type Frame, parseFrames, settingsAck, settingsFrame } from "./frames.ts";
import { MemorySocket } from "./memory-socket.ts";
import { forwardTo } from "./plans.ts";
import { RecordingObserver } from "./recording-observer.ts";
import { SimpleBalancer } from "./simple-balancer.ts";

/** One side of a connection with the engine, played by a test. */
export class RawPeer {
  readonly socket: MemorySocket;

  constructor(socket: MemorySocket) {
    this.socket = socket;
  }

  /** All frames of the engine. */
  get frames(): Frame[] {
    return parseFrames(Buffer.concat(this.socket.written));
  }

  of(type: number, id?: number): Frame[] {
    return this.frames.filter((one) => one.type === type && (id === undefined || one.id === id));
  }

  /** Error code of RST_STREAM of a stream. */
  resetCode(id: number): number | undefined {
    return this.of(frameTypes.rstStream, id)[0]?.payload.readUInt32BE();
  }

  /** Error code of the last GOAWAY. */
  get goawayCode(): number | undefined {
    return this.of(frameTypes.goaway).at(-1)?.payload.readUInt32BE(4);
  }

  data(id: number): string {
    return Buffer.concat(this.of(frameTypes.data, id).map(({ payload }) => payload)).toString("latin1");
  }

  async send(...frames: readonly Buffer[]): Promise<void> {
    this.socket.deliver(Buffer.concat(frames));
    await turn();
  }
}

/** Waits until the engine has written what it gathered. */
export async function turn(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Options of an engine in memory. */
export interface MemoryEngineOptions {
  readonly limits?: Partial<ProxyLimits>;
  readonly targets?: readonly string[];
  readonly route?: (request: IncomingRequest, targets: readonly string[]) => RoutePlan;
}

/** An HTTP/2 engine whose clients and upstreams are tests, on a fake clock. */
export class MemoryEngine {
  readonly clock: FakeClock = new FakeClock();
  readonly observer: RecordingObserver = new RecordingObserver();
  readonly balancer: SimpleBalancer = new SimpleBalancer();
  /** Connections that the engine has opened, in order. */
  readonly upstreams: RawPeer[] = [];
  readonly requests: IncomingRequest[] = [];
  /** Settings that upstreams announce. */
  upstreamSettings: readonly (readonly [number, number])[] = [];
  /** Number of the next connections that fail. */
  refusals = 0;
  /** True: connections are never established. */
  isConnectStuck = false;
  /** Connections that are never established. */
  readonly stuck: MemorySocket[] = [];
  readonly engine: Http2Engine;
  readonly #options: MemoryEngineOptions;

  constructor(options: MemoryEngineOptions = {}) {
    this.#options = options;
    this.engine = new Http2Engine({
      clock: this.clock,
      limits: { ...defaultLimits, ...options.limits },
      balancer: this.balancer,
      observer: this.observer,
      connect: () => this.#upstream(),
    });
  }

  /** Opens a client connection with preface and settings. */
  async client(hello: Buffer = Buffer.concat([clientHello, settingsAck])): Promise<RawPeer> {
    const socket = new MemorySocket();
    const { route, targets = ["10.0.0.1:80"] } = this.#options;
    this.engine.accept({
      socket,
      protocol: "http2",
      first: hello,
      scheme: "http",
      router: {
        route: (request) => {
          this.requests.push(request);
          return route?.(request, targets) ?? forwardTo(targets, request.path);
        },
      },
    });
    await turn();
    return new RawPeer(socket);
  }

  /** Returns the n-th upstream connection. */
  upstream(n = 0): RawPeer {
    const peer = this.upstreams[n];
    if (peer === undefined) throw new Error(`the engine has opened ${this.upstreams.length} connections`);
    return peer;
  }

  #upstream(): MemorySocket {
    const socket = new MemorySocket();
    if (this.isConnectStuck) {
      this.stuck.push(socket);
      return socket;
    }
    if (this.refusals > 0) {
      this.refusals -= 1;
      setImmediate(() => socket.destroy());
      return socket;
    }
    this.upstreams.push(new RawPeer(socket));
    setImmediate(() => {
      socket.emit("connect");
      socket.deliver(Buffer.concat([settingsFrame(this.upstreamSettings), settingsAck]));
    });
    return socket;
  }
}

export const codes: typeof errorCodes = errorCodes;
