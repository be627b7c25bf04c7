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

/** How often giving the Lease up is tried. After that it runs out by itself. */
const releaseTriesMax = 3;

/** The state machine of an election: one turn after the other, each of which reads or writes the Lease. */
export class LeaseElection implements Election {
  readonly #options: ElectionOptions;
  readonly #rules: Rules;
  readonly #durations: Durations;
  readonly #lease: string;
  #state: ElectionState = { at: "stopped" };
  /** The Lease as last seen, if that is still likely to be how it is. */
  #known: Lease | undefined;
  #seen: Observation | undefined;
  #claim: Claim | undefined;
  #term: LeaseTerm | undefined;
  /** The work of the term. Never rejects. */
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

  /** Whether a write may leave now, asked without any effect. */
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
      throw new ArgumentError({ argument: "run", problem: "was called twice at a time." });
    this.#failure = undefined;
    this.#enter({ at: "standing-by", holder: undefined });
    while (!signal.aborted && this.#failure === undefined) {
      const waitMs = await this.#turn(signal);
      await pause(this.#options.clock, waitMs, this.#term === undefined ? [signal] : [signal, this.#term.signal]);
      if (this.#term?.mayWrite() === false) await this.#putDown();
    }
    this.#term?.end("stopped");
    await this.#putDown();
    await this.#release();
    this.#enter({ at: "stopped" });
    const failure = this.#takeFailure();
    if (failure !== undefined) throw failure.error;
  }

  /** One exchange with the server. Returns how long to wait for the next. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { retryMs } = this.#durations;
    try {
      const waitMs = (await this.#renewKnown(signal)) ?? (await this.#look(signal));
      return Math.min(waitMs, this.#jitter(retryMs));
    } catch (error) {
      this.#known = undefined;
      if (signal.aborted) return 0;
      // A Lease that cannot be created because nothing is found has no namespace, which somebody has to know.
      if (!isRaceLost(error) || error instanceof NotFoundError) this.#options.onError?.(error);
      // A leader has no time to lose. For a candidate, a server in trouble is none the worse for a pause.
      return this.#jitter(this.#term === undefined ? retryMs : retryMs / 4);
    }
  }

  /** Renews the Lease as it was last seen, in one request. `undefined` when it has to be read first. */
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

  /** Reads the Lease and does what it calls for. */
  async #look(signal: AbortSignal): Promise<number> {
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
    // The work of the lost term comes first: while it goes on, nothing new may begin.
    if (this.#term !== undefined) return 0;
    if (decision.do === "wait") {
      this.#enter({ at: "standing-by", holder: record.holder });
      return decision.forMs;
    }
    return this.#write(lease, new Claim(0), signal);
  }

  /** Writes the Lease with a record of ours: a renewal of `base`, a new hold on it, or a new Lease. */
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
    const answered = this.#moment();
    this.#known = lease;
    this.#observe(readRecord(lease), answered.monotonic);
    claim.confirm(answered.monotonic);
    const waitMs = claim.waitMs(answered.monotonic);
    if (waitMs > 0) {
      this.#enter({ at: "waiting-out" });
      return waitMs;
    }
    const fence = this.#rules.fence({ started, answered, renewDeadlineMs });
    if (this.#term !== undefined) this.#term.extend(fence);
    else if (!signal.aborted)
      this.#begin(new LeaseTerm({ ...this.#options, ...this.#own(), epoch: record.transitions, fence }));
    return clock.monotonic() < fence.monotonic ? retryMs : 0;
  }

  #own(): { readonly rules: Rules; readonly lease: string } {
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

  #begin(term: LeaseTerm): void {
    // The answer may have come so late that there is nothing to begin with.
    if (!term.mayWrite()) return;
    this.#term = term;
    term.signal.addEventListener("abort", () => this.#ended(term), { once: true });
    this.#options.meter?.leading(true);
    this.#enter({ at: "leading", term });
    this.#work = this.#runWork(term);
  }

  async #runWork(term: LeaseTerm): Promise<void> {
    try {
      await this.#options.lead?.(term);
    } catch (error) {
      // What the work throws because it was told to stop is no failure.
      if (term.signal.aborted) return;
      this.#failure = { error };
      term.end("failed");
    }
  }

  #ended({ signal }: LeaseTerm): void {
    this.#options.meter?.leading(false);
    const reason: unknown = signal.reason;
    this.#enter({ at: "stepping-down", why: reason instanceof LeadershipLostError ? reason.why : "stopped" });
  }

  /** Ends the term and forgets what was held: the Lease as it was just seen is not ours. */
  #lose(why: TermEnd): void {
    this.#term?.end(why);
    this.#claim = undefined;
  }

  async #putDown(): Promise<void> {
    await this.#work;
    if (this.#term === undefined) return;
    this.#term = undefined;
    this.#enter({ at: "standing-by", holder: this.#seen?.record.holder });
  }

  /** Gives the Lease up, if it is still ours. */
  async #release(): Promise<void> {
    const { clock, store } = this.#options;
    const { renewDeadlineMs, retryMs } = this.#durations;
    const claim = this.#claim;
    if (claim === undefined) return;
    const giveUpAt = clock.monotonic() + renewDeadlineMs;
    for (let tries = 0; tries < releaseTriesMax && clock.monotonic() < giveUpAt; tries += 1) {
      try {
        const lease = this.#known ?? (await this.#request((signal) => store.get(signal)));
        this.#known = undefined;
        if (lease === undefined) break;
        const isWaitingOut = claim.waitMs(clock.monotonic()) > 0;
        if (!this.#rules.mayRelease({ record: readRecord(lease), claim: claim.records, isWaitingOut })) break;
        const { transitions, renewTime } = readRecord(lease);
        const time = recordTime(clock.now(), renewTime);
        const free = { holder: "", leaseMs: 1000, acquireTime: time, renewTime: time, transitions };
        await this.#request((signal) => store.update(withRecord(lease, free), signal));
        break;
      } catch (error) {
        if (isRaceLost(error)) continue;
        this.#options.onError?.(error);
        await pause(clock, this.#jitter(retryMs / 4), []);
      }
    }
    this.#claim = undefined;
  }

  /** Notes the record that was just seen, and since when it has been the same. */
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

  /** From four fifths of a delay to all of it: spread, and never later than the bound on taking over allows. */
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

/** Whether a write failed because the Lease is not as it was when it was read: no trouble, just news. */
function isRaceLost(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof AlreadyExistsError || error instanceof NotFoundError;
}
