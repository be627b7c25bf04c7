import type { Clock } from "@homeostat/core";
import type { Connect } from "@homeostat/proxy";
import type { ApplicationPort } from "./application-ports.ts";

/** Interval between two attempts to connect. */
const intervalMs = 500;

export interface ApplicationEndOptions {
  readonly clock: Clock;
  readonly connect: Connect;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until the application accepts no connections any more. The kubelet stops all containers of a pod at the same time; a sidecar that
 * ended first would cut off an application that still serves requests. The kubelet ends both when the grace period is over.
 */
export async function applicationEnd(
  ports: readonly ApplicationPort[],
  { clock, connect, signal }: ApplicationEndOptions,
): Promise<void> {
  for (;;) {
    const accepting = await Promise.all(ports.map(({ port }) => accepts(`127.0.0.1:${port}`, connect)));
    if (!accepting.includes(true)) return;
    await clock.sleep(intervalMs, signal).catch(() => undefined);
    if (signal?.aborted === true) return;
  }
}

function accepts(address: string, connect: Connect): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
