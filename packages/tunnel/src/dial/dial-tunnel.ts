import type { Duplex } from "node:stream";
import type { Clock } from "@homeostat/core";
import {
  type AttachedHandlers,
  type AttachedTunnel,
  type AttachIdentity,
  attachTunnel,
} from "../attach/attach-tunnel.ts";
import { AttachRefusedError, TunnelUnreachableError, TunnelVersionError } from "../errors.ts";
import type { VersionRange } from "../handshake/messages.ts";
import type { MuxLimits } from "../mux/limits.ts";
import type { RandomBytes } from "../websocket/websocket.ts";
import { dialCarrier } from "./dial-carrier.ts";
import { type TransportName, transportNames } from "../handshake/protocol-names.ts";
import type { TunnelTrust } from "./secure-connection.ts";

/** Options of {@link dialTunnel}. */
export interface DialTunnelOptions extends AttachIdentity, AttachedHandlers {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly signal: AbortSignal;
  /** Address of the server for messages, such as `tunnel.example.com:443`. */
  readonly address: string;
  readonly trust: TunnelTrust;
  /** Opens a connection to the server: TCP or through an HTTP proxy for `tls`, `wss` and `h2`, a port-forward for `kube`. */
  readonly connect: (transport: TransportName, signal: AbortSignal) => Promise<Duplex>;
  /** Transports to try, in order; default: all. */
  readonly transports?: readonly TransportName[];
  /** Time to connect with each transport; default: 10 s. */
  readonly connectMs?: number;
  readonly limits?: Partial<MuxLimits>;
  /** Versions of the protocol that this client speaks; the default is right outside of tests. */
  readonly versions?: VersionRange;
}

/** An attached tunnel, and the transport that it uses. */
export interface DialedTunnel extends AttachedTunnel {
  readonly transport: TransportName;
}

const connectMsDefault = 10_000;

/**
 * Connects to a tunnel server with the first transport that works, and attaches.
 *
 * A server that refuses the machine or speaks other versions of the protocol ends the attempt: another transport leads to the same server. Rejects
 * with a {@link TunnelUnreachableError} if no transport works.
 */
export async function dialTunnel(options: DialTunnelOptions): Promise<DialedTunnel> {
  const { transports = transportNames, address, signal } = options;
  const attempts: { readonly transport: TransportName; readonly error: Error }[] = [];
  for (const transport of transports) {
    try {
      return { ...(await dialWith(transport, options)), transport };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttachRefusedError || error instanceof TunnelVersionError || !(error instanceof Error))
        throw error;
      attempts.push({ transport, error });
    }
  }
  throw new TunnelUnreachableError(address, attempts);
}

async function dialWith(transport: TransportName, options: DialTunnelOptions): Promise<AttachedTunnel> {
  const { clock, connect, connectMs = connectMsDefault, trust, randomBytes } = options;
  using timeout = clock.timeout(connectMs);
  const signal = AbortSignal.any([options.signal, timeout.signal]);
  const connection = await connect(transport, signal);
  const dialed = await dialCarrier({ transport, connection, trust, randomBytes, signal });
  // The handshake has time limits of its own, which are longer than a client waits that stops or is in another network.
  const abort = (): void => dialed.carrier.destroy();
  options.signal.addEventListener("abort", abort, { once: true });
  try {
    return await attachTunnel({ ...options, ...dialed });
  } finally {
    options.signal.removeEventListener("abort", abort);
  }
}
