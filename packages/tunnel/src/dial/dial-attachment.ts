import type { Attachment } from "../attach/keep-attached.ts";
import type { TunnelEnd } from "../attach/tunnel-end.ts";
import { type DialedTunnel, dialTunnel, type DialTunnelOptions } from "./dial-tunnel.ts";

/** An attached tunnel as `keepAttached` uses it. */
export interface DialedAttachment extends Attachment {
  readonly tunnel: DialedTunnel;
}

/** Connects to a tunnel server with {@link dialTunnel}, for the `attach` option of `keepAttached`. */
export async function dialAttachment(
  options: Omit<DialTunnelOptions, "onEnd" | "onDrain"> & Partial<Pick<DialTunnelOptions, "onEnd" | "onDrain">>,
): Promise<DialedAttachment> {
  let drained: () => void = () => undefined;
  let finish: (end: TunnelEnd) => void = () => undefined;
  const draining = new Promise<void>((resolve) => (drained = resolve));
  const ended = new Promise<TunnelEnd>((resolve) => (finish = resolve));
  const tunnel = await dialTunnel({
    ...options,
    onDrain: (graceMs) => {
      options.onDrain?.(graceMs);
      drained();
    },
    onEnd: (end) => {
      options.onEnd?.(end);
      finish(end);
    },
  });
  const { session, welcome } = tunnel;
  return {
    tunnel,
    tunnelId: welcome.tunnelId,
    draining,
    ended,
    verify: (timeoutMs) => session.verify(timeoutMs),
    close: () => session.close(),
  };
}
