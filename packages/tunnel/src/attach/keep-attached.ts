import { type Clock, HomeostatError, type Random } from "@homeostat/core";
import { watchForSleep } from "./watch-for-sleep.ts";

/** A connection that {@link keepAttached} replaces when it has ended. */
export interface Attachment {
  /** Id of the tunnel, which the next connection continues. */
  readonly tunnelId: string;
  /** Resolves with the reason when the connection has ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Closes the connection without waiting for the peer. */
  close(): void;
}

/** A change that {@link keepAttached} reports. */
export type AttachmentState =
  | { readonly state: "attached"; readonly tunnelId: string }
  | { readonly state: "lost"; readonly reason: string }
  | { readonly state: "failed"; readonly error: Error; readonly retryMs: number };

/** Options of {@link keepAttached}. */
export interface KeepAttachedOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Opens a connection. `resume` is the id of the tunnel to continue, empty at first. Rejects with a non-retryable `HomeostatError` to give up. */
  readonly attach: (resume: string, signal: AbortSignal) => Promise<Attachment>;
  readonly onState: (state: AttachmentState) => void;
}

const firstDelayMs = 250;
const delayMsMax = 30_000;
/** A connection that lasted this long was not a failure, so the next delay is short again. */
const stableMs = 60_000;

/**
 * Keeps a tunnel attached until the signal aborts.
 *
 * Attempts are repeated after a random delay below a limit that doubles from 0.25 s to 30 s (full jitter, so that the clients of a restarted server
 * do not all return at the same moment). A machine that wakes up from sleep reconnects at once, without waiting until the connection is found dead.
 * Resolves when the signal aborts. Rejects with the error of an attempt that cannot succeed later.
 */
export async function keepAttached({ clock, random, signal, attach, onState }: KeepAttachedOptions): Promise<void> {
  let resume = "";
  let limitMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      const attachment = await attach(resume, signal);
      const since = clock.monotonic();
      resume = attachment.tunnelId;
      onState({ state: "attached", tunnelId: resume });
      const { reason, didSleep } = await untilLost(attachment, { clock, signal });
      if (signal.aborted) return;
      onState({ state: "lost", reason });
      if (clock.monotonic() - since >= stableMs) limitMs = firstDelayMs;
      if (didSleep) continue;
      await clock.sleep(random.next() * limitMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error) || (error instanceof HomeostatError && error.errorClass === "terminal"))
        throw error;
      const retryMs = random.next() * limitMs;
      onState({ state: "failed", error, retryMs });
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
    limitMs = Math.min(limitMs * 2, delayMsMax);
  }
}

/** Waits until a connection has ended, the machine woke up from sleep, or the signal aborts; closes the connection in the latter cases. */
async function untilLost(
  attachment: Attachment,
  { clock, signal }: Pick<KeepAttachedOptions, "clock" | "signal">,
): Promise<{ readonly reason: string; readonly didSleep: boolean }> {
  let didSleep = false;
  using sleepWatch = watchForSleep(clock, () => {
    didSleep = true;
    attachment.close();
  });
  const close = (): void => attachment.close();
  signal.addEventListener("abort", close, { once: true });
  const reason = await attachment.ended;
  signal.removeEventListener("abort", close);
  sleepWatch[Symbol.dispose]();
  return { reason: didSleep ? "the machine was asleep" : reason, didSleep };
}
