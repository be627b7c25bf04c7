import type { AcceptedTunnel, ByeReason, PortState } from "@homeostat/tunnel";

/** The reason for which this replica ends a tunnel, as it sends it to the machine. */
export interface Farewell {
  readonly reason: ByeReason;
  readonly detail: string;
  readonly retry: boolean;
}

/** A machine that is attached to this replica. */
export class Attachment {
  /** `namespace/name` and UID of the LocalWorkload. */
  readonly key: string;
  readonly uid: string;
  readonly machine: string;
  readonly publicKey: string;
  readonly host: string;
  readonly epoch: number;
  readonly tunnelId: string;
  isActive: boolean;
  /** True after a later connection has replaced this one, and while this replica drains. */
  isLeaving = false;
  readonly ports: Map<string, PortState> = new Map<string, PortState>();
  /** Streams of this attachment that are open. */
  streams = 0;
  /** Generation and creator for which the rights of the user were checked, and when. */
  reviewed = "";
  reviewedAt = 0;
  heartbeatAt = 0;
  tunnel: AcceptedTunnel | undefined;
  /** Reason for which the tunnel ends; also before its handshake is over. */
  farewell: Farewell | undefined;

  constructor(
    options: Pick<Attachment, "key" | "uid" | "machine" | "publicKey" | "host" | "epoch" | "tunnelId" | "isActive">,
  ) {
    this.key = options.key;
    this.uid = options.uid;
    this.machine = options.machine;
    this.publicKey = options.publicKey;
    this.host = options.host;
    this.epoch = options.epoch;
    this.tunnelId = options.tunnelId;
    this.isActive = options.isActive;
  }

  /** State of the local ports that the machine reported, in the words of the status. */
  localTarget(names: readonly string[]): {
    readonly state: "Listening" | "NotListening" | "ProbeTimeout" | undefined;
    readonly port: string;
  } {
    let unknown = "";
    for (const name of names) {
      const state = this.ports.get(name);
      if (state === "refused") return { state: "NotListening", port: name };
      if (state === "timeout") return { state: "ProbeTimeout", port: name };
      if (state === undefined) unknown = name;
    }
    return unknown === "" ? { state: "Listening", port: "" } : { state: undefined, port: unknown };
  }
}
