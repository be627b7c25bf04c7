import { HomeostatError, type WriteOutcome } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import { isWrite, type Layer, type Request } from "./transport.ts";

/** Thrown when a write was held back because this process may no longer be the leader. Nothing was sent. */
export class FencedError extends HomeostatError {
  readonly code = "FENCED";
  /** What became of the write: nothing. */
  readonly outcome: WriteOutcome = "not-applied";

  // Whoever leads now will do it; so will this process when it leads again.
  override get retryable(): boolean {
    return true;
  }
}

/**
 * Lets writes pass only while `mayWrite` does not throw.
 *
 * It is asked when the request arrives here and again at the last moment, when a connection stands and nothing but the
 * writing is left, so no wait for a slot, a token or a handshake can carry a write past the end of a lease. What was
 * written before that moment may still arrive: leave room for it in the lease. Reads, access reviews and dry runs pass.
 *
 * @example
 * const layer = withFence(() => {
 *   if (!lease.isHeld()) throw new Error("the lease ended");
 * });
 */
export function withFence(mayWrite: () => void): Layer {
  return (next) => new Pipeline(next, { guard: fencing(mayWrite) });
}

/** The same as {@link withFence}, as a stage of a {@link Pipeline}. */
export function fencing(mayWrite: () => void): (request: Request) => Request {
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
