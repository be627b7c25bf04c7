import { HomeostatError, type WriteOutcome } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import { isWrite, type Layer, type Request } from "./transport.ts";

/** Thrown when a write is refused because this process may no longer be the leader. Nothing was sent. */
export class FencedError extends HomeostatError {
  readonly code = "FENCED";
  /** The outcome of the write: nothing was sent. */
  readonly outcome: WriteOutcome = "not-applied";

  // The current leader will do the write, or this process when it leads again.
  override get retryable(): boolean {
    return true;
  }
}

/**
 * Returns a layer that refuses writes while `mayWrite` throws.
 *
 * `mayWrite` is called when the request arrives at this layer and again just before its first byte is written to the connection.
 * Therefore no wait for a slot, a token or a TLS handshake can delay a write past the end of the lease. Bytes that were written
 * before that moment may still arrive later: the lease duration must allow for that. Reads, access reviews and dry runs are
 * never refused.
 *
 * @example
 * const layer = withFence(() => {
 *   if (!lease.isHeld()) throw new Error("the lease ended");
 * });
 */
export function withFence(mayWrite: () => void): Layer {
  return (next) => new Pipeline(next, { guard: fenceStage(mayWrite) });
}

/** Returns the layer of {@link withFence} as a stage of a {@link Pipeline}. */
export function fenceStage(mayWrite: () => void): (request: Request) => Request {
  const check = ({ method, path }: Request): void => {
    try {
      mayWrite();
    } catch (cause) {
      throw new FencedError(
        `${method} ${path.split("?", 1)[0]} was not sent: this process may no longer be the leader. Leave it to the leader.`,
        { cause },
      );
    }
  };
  return (request) => {
    if (!isWrite(request)) return request;
    check(request);
    const { beforeSending } = request;
    return {
      ...request,
      beforeSending: () => {
        beforeSending?.();
        check(request);
      },
    };
  };
}
