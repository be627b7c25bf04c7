import { connect, type Socket } from "node:net";
import type { PortState } from "@homeostat/tunnel";

/** Connects to a local port. Rejects with the state of the port if no process accepts the connection. */
export function connectLocal(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket | PortState> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    const stop = (): void => finish("timeout");
    const finish = (result: Socket | PortState): void => {
      signal.removeEventListener("abort", stop);
      socket.off("connect", connected).off("error", failed);
      if (typeof result === "string") socket.on("error", () => undefined).destroy();
      resolve(result);
    };
    const connected = (): void => finish(socket);
    const failed = (): void => finish("refused");
    socket.once("connect", connected).once("error", failed);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** Returns the state of a local port by connecting to it. */
export async function probeLocal(
  port: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<PortState> {
  const result = await connectLocal(port, signal);
  if (typeof result === "string") return result;
  result.on("error", () => undefined).destroy();
  return "listening";
}
