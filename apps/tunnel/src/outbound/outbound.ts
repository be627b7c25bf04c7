// A connection of a machine into the cluster.

import type { Socket } from "node:net";
import type { Clock } from "@homeostat/core";
import type { OfferedStream, OutboundStream } from "@homeostat/tunnel";
import { spliceSocket } from "@homeostat/tunnel";
import { type OutboundWorld, parseDestination, type Refusal, resolveDestination } from "./destination.ts";

const connectMs = 10_000;

/** Opens a TCP connection that allows half-open connections. */
export type ConnectToPod = (address: { readonly host: string; readonly port: number }) => Socket;

/** Options of {@link forwardOutbound}. */
export interface OutboundOptions {
  readonly offer: OfferedStream<OutboundStream>;
  readonly clock: Clock;
  /** Objects as they are now; undefined if the LocalWorkload is gone. */
  readonly world: OutboundWorld | undefined;
  /** Opens a connection to a pod. */
  readonly connect: ConnectToPod;
  /** Returns a number from 0 to below `max`. */
  readonly choose: (max: number) => number;
  /** Called when the stream is refused. */
  readonly onRefused: (refusal: Refusal) => void;
  /** Called once when a connected stream has ended. */
  readonly onEnd: (bytes: { readonly toCluster: number; readonly fromCluster: number }) => void;
}

/** Connects a stream of a machine with a pod of the Service that it asks for. */
export function forwardOutbound({ offer, clock, world, connect, choose, onRefused, onEnd }: OutboundOptions): void {
  const refuse = (refusal: Refusal): void => {
    offer.refuse(refusal.code, refusal.why);
    onRefused(refusal);
  };
  if (world === undefined) return refuse({ code: "denied", why: "the LocalWorkload is gone" });
  const destination = parseDestination(offer.header.dst, world.workload.metadata.namespace ?? "");
  if ("code" in destination) return refuse(destination);
  const resolved = resolveDestination(destination, world);
  if ("code" in resolved) return refuse(resolved);
  const address = resolved.addresses[choose(resolved.addresses.length)] ?? resolved.addresses[0];
  if (address === undefined) return refuse({ code: "refused", why: "the Service has no ready pods" });
  const socket = connect(address);
  const timer = clock.schedule(connectMs, () => {
    socket.destroy();
    refuse({ code: "timeout", why: "the pod did not accept the connection in time" });
  });
  const failed = (error: Error): void => {
    timer[Symbol.dispose]();
    refuse({ code: "refused", why: error.message });
  };
  socket.once("error", failed);
  socket.once("connect", () => {
    timer[Symbol.dispose]();
    socket.off("error", failed);
    if (offer.isClosed) {
      socket.on("error", () => undefined);
      socket.destroy();
      onEnd({ toCluster: 0, fromCluster: 0 });
      return;
    }
    spliceSocket(offer.connect(), socket, () =>
      onEnd({ toCluster: socket.bytesWritten, fromCluster: socket.bytesRead }),
    );
  });
}
