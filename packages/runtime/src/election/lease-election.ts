import { AlreadyExistsError, ArgumentError, ConflictError, NotFoundError } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Claim } from "./claim.ts";
import type { Election } from "./elect.ts";
import { LeadershipLostError, NotLeaderError, type TermEnd } from "./errors.ts";
import { type Durations, durationsOf, type ElectionOptions } from "./options.ts";
import { isSameRecord, type LeaseRecord, nextTransition, readRecord, recordTime, withRecord } from "./record.ts";
import { pause, request } from "./request.ts";
import type { Moment, Observation, Rules } from "./rules.ts";
import { type ElectionState, isSameState } from "./state.ts";
import { LeaseTerm } from "./term.ts";

/** Maximum number of attempts to release the Lease. If all fail, the Lease expires after its duration. */
const releaseAttemptsMax = 3;

/**
 * The state machine of an election. It runs in a single loop: one exchange with the API server, then a pause.
 *
 * ```
 * stopped ─▶ standing-by ───────── acquired ─────────▶ leading ─▶ stepping-down ─▶ standing-by or stopped
 *                 └─ created ─▶ waiting-out ─ waited ─────▲
 * ```
 *
 * As in client-go, a holder renews the Lease every `retryPeriodMs`, and candidates read it at that interval. A candidate never compares the
 * timestamps in the record with its own clock, as the clocks of two machines may differ. It measures with its own monotonic clock for how long
 * it has observed the same record; after the lease duration without any change, it replaces the record. The resource version in that update makes
 * the API server reject it if the holder renewed in between.
 *
 * All decisions that safety depends on are in `rules.ts`. This class only performs them, and keeps two further promises: at most one term exists
 * at a time, and `lead` of a lost term has returned before the Lease is released or acquired again.
 */
export class LeaseElection implements Election {
  readonly #options: ElectionOptions;
  readonly #rules: Rules;
  readonly #durations: Durations;
  readonly #lease: string;
  #state: ElectionState = { at: "stopped" };
  /** The Lease as last read or written; undefined after an error, when it has to be read before the next write. */
  #known: Lease | undefined;
  /** The last observed record, and since when it has been unchanged. */
  #seen: Observation | undefined;
  #claim: Claim | undefined;
  #term: LeaseTerm | undefined;
  /** Completion of `lead`. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ElectionOptions, rules: Rules) {
    this.#options = options;
    this.#rules = rules;
    this.#durations = durationsOf(options);
    this.#lease = `Lease ${options.namespace}/${options.name}`;
  }

  get state(): ElectionState {
    return this.#state;
  }

  /** True if this process may write now. Unlike `mayWrite`, it does not end an expired term. */
  get isOpen(): boolean {
    return this.#term?.isOpen ?? false;
  }

  mayWrite(): boolean {
    return this.#term?.mayWrite() ?? false;
  }

  checkWrite(): void {
    if (!this.mayWrite()) throw new NotLeaderError(this.#lease);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state.at !== "stopped")
      throw new ArgumentError({ argument: "run", problem: "is already running; call it again after it has returned." });
    this.#failure = undefined;
    this.#enter({ at: "standing-by", holder: undefined });
    while (!signal.aborted && this.#failure === undefined) {
      const waitMs = await this.#exchange(signal);
      await pause(this.#options.clock, waitMs, this.#term === undefined ? [signal] : [signal, this.#term.signal]);
      if (this.#term?.mayWrite() === false) await this.#stepDown();
    }
    this.#term?.end("stopped");
    await this.#stepDown();
    await this.#release();
    this.#enter({ at: "stopped" });
    const failure = this.#takeFailure();
    if (failure !== undefined) throw failure.error;
  }

  /** Performs one exchange with the server: a renewal, or a read and what follows from it. Returns the delay until the next one. */
  async #exchange(signal: AbortSignal): Promise<number> {
    const { retryMs } = this.#durations;
    try {
      const waitMs = (await this.#renewKnown(signal)) ?? (await this.#readAndAct(signal));
      return Math.min(waitMs, this.#jitter(retryMs));
    } catch (error) {
      this.#known = undefined;
      if (signal.aborted) return 0;
      // Losing a race is normal and not reported. "Not found" is: on a create it means that the namespace does not exist.
      if (!isRaceLost(error) || error instanceof NotFoundError) this.#options.onError?.(error);
      // A leader retries sooner, because its deadline is near. A candidate can wait, which spares a server that has problems.
      return this.#jitter(this.#term === undefined ? retryMs : retryMs / 4);
    }
  }

  /**
   * Renews the Lease on top of its last known version, without reading it before (the "fast path" of client-go). Returns undefined when it has to
   * be read first, because it is unknown, not ours, or has been changed.
   */
  async #renewKnown(signal: AbortSignal): Promise<number | undefined> {
    if (this.#known === undefined || this.#claim === undefined) return undefined;
    if (!this.#rules.isOurs(readRecord(this.#known), this.#claim.records)) return undefined;
    try {
      return await this.#write(this.#known, this.#claim, signal);
    } catch (error) {
      if (!isRaceLost(error)) throw error;
      this.#options.meter?.slowPath();
      return undefined;
    }
  }

  /** Reads the Lease, and renews, acquires or creates it as the rules decide. Returns the delay until the next exchange. */
  async #readAndAct(signal: AbortSignal): Promise<number> {
    const { clock, store, identity, trustMissing = false } = this.#options;
    const { leaseMs } = this.#durations;
    this.#known = undefined;
    const lease = await this.#request((inner) => store.get(inner), signal);
    const monotonic = clock.monotonic();
    if (lease === undefined) {
      this.#lose("deleted");
      if (this.#term !== undefined) return 0;
      return this.#write(undefined, new Claim(this.#rules.waitAfterCreateMs({ leaseMs, trustMissing })), signal);
    }
    const record = readRecord(lease);
    const seen = this.#observe(record, monotonic);
    const claim = this.#claim?.records ?? [];
    const decision = this.#rules.decide({ identity, seen, monotonic, wall: clock.now(), leaseMs, claim });
    if (decision.do === "renew" && this.#claim !== undefined) {
      this.#claim.confirm(monotonic);
      return this.#write(lease, this.#claim, signal);
    }
    this.#lose(record.holder === identity ? "edited" : "taken");
    // The term is lost, but its `lead` may still be running. The loop waits for that before anything new starts.
    if (this.#term !== undefined) return 0;
    if (decision.do === "wait") {
      this.#enter({ at: "standing-by", holder: record.holder });
      return decision.forMs;
    }
    return this.#write(lease, new Claim(0), signal);
  }

  /**
   * Writes a record of this process: renews `base`, acquires it, or creates a Lease if `base` is undefined. Starts a term or extends the current
   * one. The time before the request was sent counts for the fence, see `fence` in rules.ts.
   */
  async #write(base: Lease | undefined, claim: Claim, signal: AbortSignal): Promise<number> {
    const { clock, store, name, namespace } = this.#options;
    const { retryMs, renewDeadlineMs } = this.#durations;
    const record = this.#nextRecord(base, claim);
    claim.sending(record);
    this.#claim = claim;
    const started = this.#moment();
    const lease = await this.#request((inner) => {
      if (base !== undefined) return store.update(withRecord(base, record), inner);
      const metadata = { name, namespace };
      return store.create(withRecord({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, record), inner);
    }, signal);
    const responded = this.#moment();
    this.#known = lease;
    this.#observe(readRecord(lease), responded.monotonic);
    claim.confirm(responded.monotonic);
    const waitMs = claim.waitMs(responded.monotonic);
    if (waitMs > 0) {
      this.#enter({ at: "waiting-out" });
      return waitMs;
    }
    const fence = this.#rules.fence({ started, responded, renewDeadlineMs });
    if (this.#term !== undefined) this.#term.extend(fence);
    else if (!signal.aborted)
      this.#startTerm(new LeaseTerm({ ...this.#options, ...this.#termContext(), epoch: record.transitions, fence }));
    return clock.monotonic() < fence.monotonic ? retryMs : 0;
  }

  #termContext(): { readonly rules: Rules; readonly lease: string } {
    return { rules: this.#rules, lease: this.#lease };
  }

  #nextRecord(base: Lease | undefined, claim: Claim): LeaseRecord {
    const { clock, identity } = this.#options;
    const old = base === undefined ? undefined : readRecord(base);
    const renewTime = recordTime(clock.now(), old?.renewTime ?? "");
    const isRenewal = old !== undefined && this.#rules.isOurs(old, claim.records);
    return {
      holder: identity,
      leaseMs: this.#durations.leaseMs,
      acquireTime: isRenewal ? old.acquireTime : renewTime,
      renewTime,
      transitions: old === undefined ? 0 : isRenewal ? old.transitions : nextTransition(old.transitions),
    };
  }

  #startTerm(term: LeaseTerm): void {
    // The response may have arrived so late that the fence has already passed.
    if (!term.mayWrite()) return;
    this.#term = term;
    term.signal.addEventListener("abort", () => this.#onTermEnd(term), { once: true });
    this.#options.meter?.leading(true);
    this.#enter({ at: "leading", term });
    this.#work = this.#runWork(term);
  }

  async #runWork(term: LeaseTerm): Promise<void> {
    try {
      await this.#options.lead?.(term);
    } catch (error) {
      // An error after the abort of the signal is a consequence of the abort.
      if (term.signal.aborted) return;
      this.#failure = { error };
      term.end("failed");
    }
  }

  #onTermEnd({ signal }: LeaseTerm): void {
    this.#options.meter?.leading(false);
    const reason: unknown = signal.reason;
    this.#enter({ at: "stepping-down", why: reason instanceof LeadershipLostError ? reason.why : "stopped" });
  }

  /** Ends the term and drops the claim, because the Lease that was just read is not ours. */
  #lose(why: TermEnd): void {
    this.#term?.end(why);
    this.#claim = undefined;
  }

  /** Waits until `lead` has returned, and leaves the ended term. */
  async #stepDown(): Promise<void> {
    await this.#work;
    if (this.#term === undefined) return;
    this.#term = undefined;
    this.#enter({ at: "standing-by", holder: this.#seen?.record.holder });
  }

  /**
   * Releases the Lease if it is still ours, so that a candidate need not wait until it expires. As in client-go, a released Lease has no holder
   * and a duration of one second.
   */
  async #release(): Promise<void> {
    const { clock, store } = this.#options;
    const { renewDeadlineMs, retryMs } = this.#durations;
    const claim = this.#claim;
    if (claim === undefined) return;
    const giveUpAt = clock.monotonic() + renewDeadlineMs;
    for (let attempt = 0; attempt < releaseAttemptsMax && clock.monotonic() < giveUpAt; attempt += 1) {
      try {
        const lease = this.#known ?? (await this.#request((signal) => store.get(signal)));
        this.#known = undefined;
        if (lease === undefined) break;
        const isWaitingOut = claim.waitMs(clock.monotonic()) > 0;
        if (!this.#rules.mayRelease({ record: readRecord(lease), claim: claim.records, isWaitingOut })) break;
        const { transitions, renewTime } = readRecord(lease);
        const time = recordTime(clock.now(), renewTime);
        const released = { holder: "", leaseMs: 1000, acquireTime: time, renewTime: time, transitions };
        await this.#request((signal) => store.update(withRecord(lease, released), signal));
        break;
      } catch (error) {
        if (isRaceLost(error)) continue;
        this.#options.onError?.(error);
        await pause(clock, this.#jitter(retryMs / 4), []);
      }
    }
    this.#claim = undefined;
  }

  /** Remembers an observed record, and since when it has been unchanged. */
  #observe(record: LeaseRecord, monotonic: number): Observation {
    if (this.#seen === undefined || !isSameRecord(this.#seen.record, record)) this.#seen = { record, since: monotonic };
    return this.#seen;
  }

  #request<T>(send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { requestTimeoutMs: timeoutMs } = this.#durations;
    return request({ clock: this.#options.clock, timeoutMs, signal }, send);
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  /**
   * Returns a random delay between 80 and 100 % of the given one. Shorter only, unlike client-go's jitter: the documented bound on the time
   * until another process takes over must hold.
   */
  #jitter(ms: number): number {
    return ms * (0.8 + 0.2 * this.#options.random.next());
  }

  #enter(state: ElectionState): void {
    if (isSameState(this.#state, state)) return;
    this.#state = state;
    this.#options.onState?.(state);
  }

  #takeFailure(): { readonly error: unknown } | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }
}

/** Reports whether a write failed because the Lease was changed, created or deleted by another client since it was read. */
function isRaceLost(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof AlreadyExistsError || error instanceof NotFoundError;
}
