import { ConnectionFault, errorCodes } from "./protocol.ts";

const controlBurst = 4_000;
const controlPerSecond = 1_000;
const resetBurst = 1_000;
const resetPerSecond = 33;

/**
 * Budgets of frames that cost the proxy work and the peer almost nothing: pings, settings, priorities, empty DATA, unknown frames, and resets of streams.
 * A connection that exceeds one ends with ENHANCE_YOUR_CALM.
 *
 * Budgets grow with time. Frames that carry something, in either direction, also add to that of control frames: clients send a ping and a window
 * update for data they received, as often as data arrives.
 */
export class FloodGuard {
  #control = controlBurst;
  #resets = resetBurst;

  /** Counts a frame without content. */
  control(): void {
    this.#control -= 1;
    if (this.#control < 0) throw new ConnectionFault(errorCodes.enhanceYourCalm, "too many control frames");
  }

  /** Counts a stream that the peer reset, or that the proxy reset because of an error of the peer. */
  reset(): void {
    this.#resets -= 1;
    if (this.#resets < 0) throw new ConnectionFault(errorCodes.enhanceYourCalm, "too many streams were reset");
  }

  /** Counts a frame with content. */
  content(): void {
    if (this.#control < controlBurst) this.#control += 2;
  }

  /** Counts a request that received its whole response: clients with many requests may cancel many. */
  completed(): void {
    if (this.#resets < resetBurst) this.#resets += 1;
  }

  elapsed(seconds: number): void {
    this.#control = Math.min(controlBurst, this.#control + controlPerSecond * seconds);
    this.#resets = Math.min(resetBurst, this.#resets + resetPerSecond * seconds);
  }
}
