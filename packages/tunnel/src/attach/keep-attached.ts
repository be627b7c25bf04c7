import { type Clock, HomeostatError, type Random } from "@homeostat/core";
import type { TunnelEnd } from "./tunnel-end.ts";
import { watchForSleep } from "./watch-for-sleep.ts";
import { watchNetwork } from "./watch-network.ts";

/** A connection that {@link keepAttached} replaces when it has ended or drains. */
export interface Attachment {
  /** Id of the tunnel, which the next connection continues. */
  readonly tunnelId: string;
  /** Resolves when the server asks to connect to another replica. May never resolve. */
  readonly draining: Promise<void>;
  /** Resolves when the connection has ended. Never rejects. */
  readonly ended: Promise<TunnelEnd>;
  /** Ends the connection if no byte of the server arrives within a time. */
  verify(timeoutMs: number): void;
  /** Closes the connection without waiting for the peer. */
  close(): void;
}

/** A change that {@link keepAttached} reports. */
export type AttachmentState =
  | { readonly state: "attached"; readonly tunnelId: string }
  | { readonly state: "draining" }
  | { readonly state: "lost"; readonly reason: string }
  | { readonly state: "failed"; readonly error: Error; readonly retryMs: number };

/** Options of {@link keepAttached}. */
export interface KeepAttachedOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Returns the addresses of the interfaces that are up, without those of loopback. */
  readonly addresses: () => ReadonlySet<string>;
  /** Opens a connection. `resume` is the id of the tunnel to continue, empty at first. Rejects with a non-retryable `HomeostatError` to give up. */
  readonly attach: (resume: string, signal: AbortSignal) => Promise<Attachment>;
  readonly onState: (state: AttachmentState) => void;
}

const firstDelayMs = 250;
const delayMsMax = 30_000;
/** A connection that lasted this long was not a failure, so the next delay is short again. */
const stableMs = 60_000;
/** Time for a byte of the server after a change of the network. A connection whose packets were lost may need many seconds for the next attempt to send them. */
const verifyMs = 1_000;
/** A connection that is lost within this time after a change of the network was lost by it. */
const changeMs = 5_000;

/**
 * Keeps a tunnel attached until the signal aborts.
 *
 * Attempts are repeated after a random delay below a limit that doubles from 0.25 s to 30 s (full jitter, so that the clients of a restarted server
 * do not all return at the same moment). A machine that wakes up from sleep reconnects at once, without waiting until the connection is found dead. When the
 * machine gets an address, the network is back or is another one: a connection must then respond within a second, and attempts do not wait.
 * When the server drains, the next connection is opened first; the old one goes on until the server or the last stream ends it.
 *
 * Resolves with undefined when the signal aborts, and with the end of a tunnel that must not be attached again: its LocalWorkload was deleted, access
 * was revoked, or another connection replaced it. Rejects with the error of an attempt that cannot succeed later.
 */
export async function keepAttached(options: KeepAttachedOptions): Promise<TunnelEnd | undefined> {
  const { clock, random, signal, attach, onState } = options;
  let resume = "";
  let limitMs = firstDelayMs;
  let current: Attachment | undefined;
  let changedAt = -Infinity;
  /** Aborted at the next change of the network. */
  let change = new AbortController();
  using _ = watchNetwork({
    ...options,
    onChange: () => {
      changedAt = clock.monotonic();
      current?.verify(verifyMs);
      const before = change;
      change = new AbortController();
      before.abort(new Error("the network has changed"));
    },
  });
  /** Waits before the next attempt. Resolves with true if a change of the network has ended the wait; the next delay is then short again. */
  const isWaitCut = async (delayMs: number): Promise<boolean> => {
    const isChanged = change.signal;
    await clock.sleep(delayMs, AbortSignal.any([signal, isChanged])).catch(() => undefined);
    if (isChanged.aborted) limitMs = firstDelayMs;
    return isChanged.aborted;
  };
  /** Connections that drain. */
  const old = new Set<Attachment>();
  const closeOld = (): void => {
    for (const attachment of old) attachment.close();
  };
  signal.addEventListener("abort", closeOld, { once: true });
  try {
    while (!signal.aborted) {
      const isChanged = change.signal;
      try {
        const attachment = await attach(resume, AbortSignal.any([signal, isChanged]));
        const since = clock.monotonic();
        resume = attachment.tunnelId;
        current = attachment;
        onState({ state: "attached", tunnelId: resume });
        const left = await untilLeft(attachment, { clock, signal });
        current = undefined;
        if (signal.aborted) return undefined;
        if (clock.monotonic() - since >= stableMs) limitMs = firstDelayMs;
        if (left.how === "draining") {
          onState({ state: "draining" });
          old.add(attachment);
          void attachment.ended.then(() => old.delete(attachment));
          continue;
        }
        if (left.how === "ended" && !left.end.retry) return left.end;
        onState({ state: "lost", reason: left.how === "ended" ? endText(left.end) : "the machine was asleep" });
        const isLostByChange = clock.monotonic() - changedAt < changeMs;
        if (isLostByChange) limitMs = firstDelayMs;
        if (left.how === "slept" || isLostByChange) continue;
        if (await isWaitCut(random.next() * limitMs)) continue;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof Error) || (error instanceof HomeostatError && error.errorClass === "terminal"))
          throw error;
        if (isChanged.aborted) {
          limitMs = firstDelayMs;
          continue;
        }
        const retryMs = random.next() * limitMs;
        onState({ state: "failed", error, retryMs });
        if (await isWaitCut(retryMs)) continue;
      }
      limitMs = Math.min(limitMs * 2, delayMsMax);
    }
    return undefined;
  } finally {
    signal.removeEventListener("abort", closeOld);
    closeOld();
  }
}

type Left = { readonly how: "draining" | "slept" } | { readonly how: "ended"; readonly end: TunnelEnd };

/** Waits until a connection has ended or drains, the machine woke up from sleep, or the signal aborts; closes the connection in the latter two cases. */
async function untilLeft(
  attachment: Attachment,
  { clock, signal }: Pick<KeepAttachedOptions, "clock" | "signal">,
): Promise<Left> {
  let didSleep = false;
  using sleepWatch = watchForSleep(clock, () => {
    didSleep = true;
    attachment.close();
  });
  const close = (): void => attachment.close();
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  const left = await Promise.race<Left>([
    attachment.ended.then((end) => ({ how: "ended", end })),
    attachment.draining.then(() => ({ how: "draining" })),
  ]);
  signal.removeEventListener("abort", close);
  sleepWatch[Symbol.dispose]();
  return didSleep ? { how: "slept" } : left;
}

function endText({ reason, detail }: TunnelEnd): string {
  return detail === "" ? reason : `${reason}: ${detail}`;
}
