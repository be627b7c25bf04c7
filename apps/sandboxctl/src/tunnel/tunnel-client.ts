// The client side of a tunnel: keeps it attached, forwards connections from the cluster to local ports, and opens connections into the cluster.

import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, Random } from "@homeostat/core";
import {
  acceptStream,
  type AttachIdentity,
  type AttachmentState,
  dialAttachment,
  type DialedTunnel,
  keepAttached,
  type MuxStream,
  openStream,
  type PortState,
  type SplicedStream,
  spliceSocket,
  type StreamFailedError,
  StreamRefusedError,
  type TransportName,
  type TunnelEnd,
  type TunnelTrust,
} from "@homeostat/tunnel";
import { startingWith } from "./connect-transport.ts";
import { connectLocal, probeLocal } from "./local-sockets.ts";
import { type CheckedPort, TargetCheck } from "./target-check.ts";

/** Options of {@link TunnelClient}. */
export interface TunnelClientOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly identity: AttachIdentity;
  readonly address: string;
  readonly trust: TunnelTrust;
  readonly connect: (transport: TransportName, signal: AbortSignal) => Promise<Duplex>;
  /** Transports to try, in order. */
  readonly transports: readonly TransportName[];
  /** Returns the addresses of the network interfaces of this machine that are up. */
  readonly addresses: () => ReadonlySet<string>;
  readonly ports: readonly CheckedPort[];
  readonly onState: (state: AttachmentState) => void;
  readonly onPort: (name: string, state: PortState) => void;
}

/** Numbers about a tunnel, for users. */
export interface TunnelCounts {
  readonly connections: number;
  readonly open: number;
  readonly failed: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

const localConnectMs = 5_000;

/** Keeps a tunnel attached. */
export class TunnelClient {
  readonly #options: TunnelClientOptions;
  readonly #check: TargetCheck;
  #tunnel: DialedTunnel | undefined;
  /** The transport of the last connection. The next attempt starts with it, because other transports may only fail at their timeout. */
  #transport: TransportName | undefined;
  readonly #open = new Set<Socket>();
  /** Counts without the bytes of open connections. */
  #counts = { connections: 0, failed: 0, bytesIn: 0, bytesOut: 0 };

  constructor(options: TunnelClientOptions) {
    this.#options = options;
    this.#check = new TargetCheck({
      clock: options.clock,
      ports: options.ports,
      probe: probeLocal,
      onState: (name, state) => {
        this.#tunnel?.reportPort(name, state);
        options.onPort(name, state);
      },
    });
  }

  get counts(): TunnelCounts {
    let { bytesIn, bytesOut } = this.#counts;
    for (const { bytesRead, bytesWritten } of this.#open) {
      bytesIn += bytesWritten;
      bytesOut += bytesRead;
    }
    return { ...this.#counts, open: this.#open.size, bytesIn, bytesOut };
  }

  /** Round trip time of the current connection in milliseconds; undefined while it is not known. */
  get rttMs(): number | undefined {
    return this.#tunnel?.session.rttMs;
  }

  get portStates(): ReadonlyMap<string, PortState> {
    return this.#check.states;
  }

  /** The transport of the current connection; undefined while none is attached. */
  get transport(): TransportName | undefined {
    return this.#tunnel?.transport;
  }

  get routingKey(): string | undefined {
    return this.#tunnel?.welcome.routingKey;
  }

  /**
   * Keeps the tunnel attached until the signal aborts; then leaves it, so the server withdraws this machine at once. Resolves with the end of a
   * tunnel that must not be attached again.
   */
  async run(signal: AbortSignal): Promise<TunnelEnd | undefined> {
    const { clock, random, onState, identity, addresses } = this.#options;
    const stopping = new AbortController();
    const leave = (): void => {
      this.#tunnel?.leave();
      stopping.abort(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    this.#check.start();
    let isTakeover = identity.takeover === true;
    try {
      return await keepAttached({
        clock,
        random,
        addresses,
        signal: stopping.signal,
        attach: async (resume, attachSignal) => {
          const attachment = await this.#dial({ resume, takeover: isTakeover }, attachSignal);
          // Only the first connection may replace another machine; a machine that attaches later has taken over on purpose.
          isTakeover = false;
          this.#tunnel = attachment.tunnel;
          this.#transport = attachment.tunnel.transport;
          for (const [name, state] of this.#check.states) attachment.tunnel.reportPort(name, state);
          return attachment;
        },
        onState: (state) => {
          if (state.state === "lost") this.#tunnel = undefined;
          onState(state);
        },
      });
    } finally {
      signal.removeEventListener("abort", leave);
      this.#check[Symbol.dispose]();
      this.#tunnel = undefined;
    }
  }

  /** Opens a connection to a Service of the cluster. Throws a {@link StreamRefusedError} while no tunnel is attached. */
  open(destination: string, onAnswer: (failure: StreamFailedError | undefined) => void): SplicedStream {
    const session = this.#tunnel?.session;
    if (session === undefined) throw new StreamRefusedError("closed");
    return openStream(session, { t: "out", dst: destination }, { clock: this.#options.clock, onAnswer });
  }

  #dial({ resume, takeover }: { resume: string; takeover: boolean }, signal: AbortSignal) {
    const { clock, identity, address, trust, connect, transports } = this.#options;
    return dialAttachment({
      ...identity,
      resume,
      takeover,
      clock,
      randomBytes,
      signal,
      address,
      trust,
      connect,
      transports: startingWith(this.#transport, transports),
      onStream: (stream) => this.#serve(stream),
    });
  }

  #serve(stream: MuxStream): void {
    const { clock, ports } = this.#options;
    acceptStream(stream, {
      clock,
      expected: "in",
      onOffer: (offer) => {
        const port = ports.find(({ name }) => name === offer.header.port);
        if (port === undefined) {
          this.#counts.failed += 1;
          return offer.refuse("unknown_port", offer.header.port);
        }
        return void this.#lead(port, offer);
      },
    });
  }

  async #lead(
    port: CheckedPort,
    offer: Parameters<Parameters<typeof acceptStream<"in">>[1]["onOffer"]>[0],
  ): Promise<void> {
    using timeout = this.#options.clock.timeout(localConnectMs);
    const result = await connectLocal(port, timeout.signal);
    this.#check.note(port.name, typeof result === "string" ? result : "listening");
    if (typeof result === "string") {
      this.#counts.failed += 1;
      offer.refuse(result === "timeout" ? "local_timeout" : "local_refused", `${port.host}:${port.port}`);
      return;
    }
    if (offer.isClosed) {
      result.destroy();
      return;
    }
    this.#counts.connections += 1;
    this.#open.add(result);
    spliceSocket(offer.connect(), result, () => this.#ended(result));
  }

  #ended(socket: Socket): void {
    if (!this.#open.delete(socket)) return;
    this.#counts.bytesIn += socket.bytesWritten;
    this.#counts.bytesOut += socket.bytesRead;
  }
}
