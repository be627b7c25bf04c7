import type { Clock } from "@homeostat/core";
import type { Carrier } from "../carrier/carrier.ts";
import { AttachRefusedError } from "../errors.ts";
import type { MachineKey } from "../handshake/machine-key.ts";
import { protocolVersion, type Welcome } from "../handshake/messages.ts";
import type { MuxLimits } from "../mux/limits.ts";
import { Session, type SessionEnd } from "../mux/session.ts";
import type { MuxStream } from "../mux/stream.ts";
import { ControlChannel } from "./control-channel.ts";

/** Options of {@link attachTunnel}. */
export interface AttachTunnelOptions {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly limits?: Partial<MuxLimits>;
  readonly key: MachineKey;
  /** SHA-256 of the certificate that the server presented on this connection, in hex. */
  readonly certificateSha256: string;
  readonly workload: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Version of this program and name of this machine, shown to users. */
  readonly client: { readonly version: string; readonly host: string };
  /** Id of the tunnel to continue; empty for a new one. */
  readonly resume?: string;
  /** True to replace another machine. */
  readonly takeover?: boolean;
  /** Called with each connection from the cluster. */
  readonly onStream: (stream: MuxStream) => void;
  readonly onEnd: (end: SessionEnd) => void;
}

/** An attached tunnel. */
export interface AttachedTunnel {
  readonly session: Session;
  readonly welcome: Welcome;
}

/** Time for each message of the server, in milliseconds: a refusal is delayed by the server. */
const messageMs = 10_000;

/**
 * Runs the client's part of the handshake on a new connection. Rejects with an {@link AttachRefusedError} if the server refuses, and with a
 * `ProtocolError` if it does not respond as a tunnel server.
 */
export async function attachTunnel(options: AttachTunnelOptions): Promise<AttachedTunnel> {
  const {
    carrier,
    clock,
    limits = {},
    key,
    certificateSha256,
    workload,
    client,
    resume = "",
    takeover = false,
  } = options;
  let isAttached = false;
  const session = Session.start({
    carrier,
    side: "client",
    clock,
    limits,
    onStream: (stream) => (isAttached ? options.onStream(stream) : stream.reset()),
    onEnd: (end) => {
      if (isAttached) options.onEnd(end);
    },
  });
  const control = new ControlChannel();
  try {
    control.attach(session.open(control));
    const { nonce } = await control.next(["challenge"], { clock, timeoutMs: messageMs });
    control.send({
      t: "hello",
      v: protocolVersion,
      client: client.version,
      host: client.host,
      workload: `${workload.namespace}/${workload.name}`,
      uid: workload.uid,
      key: key.publicKey,
      sig: key.sign({ nonce, certificateSha256, ...workload }),
      resume,
      takeover,
    });
    const response = await control.next(["welcome", "refuse"], { clock, timeoutMs: messageMs });
    if (response.t === "refuse") throw new AttachRefusedError(response);
    isAttached = true;
    return { session, welcome: response };
  } catch (error) {
    session.close();
    throw error;
  }
}
