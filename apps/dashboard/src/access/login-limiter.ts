import type { Clock } from "@homeostat/core";

/** Failed logins of one address in {@link windowMs}. */
export const failuresPerAddressMax = 10;
/** Failed logins of all addresses in {@link windowMs}. */
export const failuresMax = 100;
/** Time after which failed logins are forgotten, in milliseconds. */
export const windowMs = 60_000;

/**
 * Limits failed logins. Tokens cannot be guessed, but each login is a request to the API server and a line in its audit log.
 *
 * The limits hold for one replica. Its memory is bounded by the limit for all addresses.
 */
export class LoginLimiter {
  readonly #clock: Clock;
  /** Times of failed logins and of logins that are being checked, by address. */
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a login as failed until it is forgiven: many logins that are sent at once would otherwise all pass before the first one fails. Returns false,
   * and counts nothing, if there were too many.
   */
  begin(address: string): boolean {
    const now = this.#clock.monotonic();
    this.#forgetBefore(now - windowMs);
    let count = 0;
    for (const times of this.#times.values()) count += times.length;
    const own = this.#times.get(address) ?? [];
    if (count >= failuresMax || own.length >= failuresPerAddressMax) return false;
    this.#times.set(address, [...own, now]);
    return true;
  }

  /** Forgives the last login of an address, because it succeeded or could not be checked. */
  forgive(address: string): void {
    this.#set(address, (this.#times.get(address) ?? []).slice(0, -1));
  }

  #forgetBefore(time: number): void {
    for (const [address, times] of this.#times)
      this.#set(
        address,
        times.filter((one) => one > time),
      );
  }

  #set(address: string, times: number[]): void {
    if (times.length === 0) this.#times.delete(address);
    else this.#times.set(address, times);
  }
}
