import type { Clock } from "@homeostat/core";
import type { Carrier } from "../carrier/carrier.ts";
import { AttachRefusedError, TunnelVersionError } from "../errors.ts";
import type { MachineKey } from "../handshake/machine-key.ts";
import {
  type Bye,
  type Challenge,
  detailOf,
  type PortState,
  protocolVersions,
  type VersionRange,
  type Welcome,
} from "../handshake/messages.ts";
import type { MuxLimits } from "../mux/limits.ts";
import { Session, type SessionEnd } from "../mux/session.ts";
import type { MuxStream } from "../mux/stream.ts";
import { ControlChannel } from "./control-channel.ts";
import { type TunnelEnd, tunnelEndOf } from "./tunnel-end.ts";

/** The part of {@link AttachTunnelOptions} that does not depend on the connection. */
export interface AttachIdentity {
  readonly key: MachineKey;
  readonly workload: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Version of this program and name of this machine, shown to users. */
  readonly client: { readonly version: string; readonly host: string };
  /** Id of the tunnel to continue; empty for a new one. */
  readonly resume?: string;
  /** True to replace another machine. */
  readonly takeover?: boolean;
}

/** Receives the events of an attached tunnel. */
export interface AttachedHandlers {
  /** Called with each stream of the server. Pass it to `acceptStream` with `in`. */
  readonly onStream: (stream: MuxStream) => void;
  /** Called when connections from the cluster begin (true) or stop (false) to go to this machine. */
  readonly onRole?: (isActive: boolean) => void;
  /** Called when the server asks to connect to another replica; this connection goes on for the grace time. */
  readonly onDrain?: (graceMs: number) => void;
  /** Called once when the tunnel has ended. */
  readonly onEnd: (end: TunnelEnd) => void;
}

/** Options of {@link attachTunnel}. */
export interface AttachTunnelOptions extends AttachIdentity, AttachedHandlers {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly limits?: Partial<MuxLimits>;
  /** SHA-256 of the certificate that the server presented on this connection, in hex. */
  readonly certificateSha256: string;
  /** Versions of the protocol that this client speaks; the default is right outside of tests. */
  readonly versions?: VersionRange;
}

/** An attached tunnel. */
export interface AttachedTunnel {
  readonly session: Session;
  readonly welcome: Welcome;
  /** Reports the state of a local port to the server. Call it for each port after attaching, and when a state changes. */
  reportPort(name: string, state: PortState): void;
  /** Leaves the tunnel: the server withdraws this machine at once. */
  leave(detail?: string): void;
}

/** Time for each message of the server, in milliseconds: a refusal is delayed by the server. */
const messageMs = 10_000;

/**
 * Runs the client's part of the handshake on a new connection. Rejects with an {@link AttachRefusedError} if the server refuses, with a
 * {@link TunnelVersionError} if both ends have no common version, and with a `ProtocolError` if the server does not respond as a tunnel server.
 */
export async function attachTunnel(options: AttachTunnelOptions): Promise<AttachedTunnel> {
  const { carrier, clock, limits = {}, onRole, onDrain, onEnd } = options;
  let isAttached = false;
  let bye: Bye | undefined;
  const session = Session.start({
    carrier,
    side: "client",
    clock,
    limits,
    onStream: (stream) => (isAttached ? options.onStream(stream) : stream.reset()),
    onEnd: (end: SessionEnd) => {
      if (isAttached) onEnd(tunnelEndOf(end, bye));
    },
  });
  const control = new ControlChannel();
  try {
    control.attach(session.open(control));
    const challenge = await control.next(["challenge"], { clock, timeoutMs: messageMs });
    control.send(helloOf(challenge, options));
    const welcome = await control.next(["welcome", "refuse"], { clock, timeoutMs: messageMs });
    if (welcome.t === "refuse") throw new AttachRefusedError(welcome);
    isAttached = true;
    control.listen(["role", "drain", "bye"], {
      take: (message) => {
        if (message.t === "role") onRole?.(message.active);
        else if (message.t === "drain") onDrain?.(message.graceMs);
        else bye = message;
      },
      onError: () => session.close(),
    });
    return {
      session,
      welcome,
      reportPort: (name, state) => control.send({ t: "port", name, state }),
      leave: (detail = "") => {
        bye = { t: "bye", reason: "ClientLeft", detail: detailOf(detail), retry: false };
        control.send(bye);
        session.close();
      },
    };
  } catch (error) {
    session.close();
    throw error;
  }
}

function helloOf(
  { nonce, vMin, vMax }: Challenge,
  options: AttachTunnelOptions,
): Parameters<ControlChannel["send"]>[0] {
  const {
    key,
    certificateSha256,
    workload,
    client,
    resume = "",
    takeover = false,
    versions = protocolVersions,
  } = options;
  const v = Math.min(versions.max, vMax);
  if (v < versions.min || v < vMin)
    throw new TunnelVersionError({ client: versions, server: { min: vMin, max: vMax } });
  return {
    t: "hello",
    v,
    client: client.version,
    host: client.host,
    workload: `${workload.namespace}/${workload.name}`,
    uid: workload.uid,
    key: key.publicKey,
    sig: key.sign({ nonce, certificateSha256, ...workload }),
    resume,
    takeover,
  };
}
