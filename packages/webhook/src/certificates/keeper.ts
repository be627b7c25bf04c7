import {
  AlreadyExistsError,
  type Clock,
  ConflictError,
  jitter,
  NotFoundError,
  type Random,
  systemClock,
  systemRandom,
} from "@homeostat/core";
import { isSignedBy, type KeyPair, splitCertificates } from "@homeostat/x509";
import { RotationConflictError } from "./rotation-conflict-error.ts";
import { begin, decide, perform, type Situation, type Step } from "./decide.ts";
import { type CertificatePolicy, type FullPolicy, fullPolicy } from "./policy.ts";
import type { CaBundleTarget, SecretStore, StoredSecret } from "./ports.ts";
import { authorityEnd, bundleOf, type CertificateState, type DatedPair, formatState, parseState } from "./state.ts";

/** Options of a {@link CertificateKeeper}. */
export interface CertificateKeeperOptions {
  readonly secret: SecretStore;
  readonly targets: readonly CaBundleTarget[];
  readonly policy: CertificatePolicy;
  /** Called with what to serve from now on, first of all and after every rotation: `(pair) => server.reload(pair)`. */
  readonly serve: (certificate: KeyPair) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** How often to look, in milliseconds. Default one minute. */
  readonly pollMs?: number;
  /** Is told of everything that went wrong; the keeper tries again by itself. */
  readonly onProblem?: (error: unknown) => void;
  /** Is told of every step this replica has taken. */
  readonly onStep?: (step: Step | "restore") => void;
  /** What to do when; only tests of the tests have another one. */
  readonly decide?: (situation: Situation) => Step | undefined;
}

/** More rounds than any sequence of steps needs; beyond, others are writing all the time. */
const roundsMax = 20;

/**
 * Keeps an authority and a serving certificate in a Secret, renews both in time, and keeps every `caBundle` right.
 *
 * Every replica runs one; none of them leads. See `decide.ts` for the order of a rotation, and why no API server is ever
 * shown a certificate it does not trust yet, or trusts no more.
 *
 * @example
 * const keeper = new CertificateKeeper({ secret, targets, policy: { hosts }, serve: (pair) => server.reload(pair) });
 * const certificate = await keeper.sync();
 * await server.listen({ certificate, port: 9443 });
 * await keeper.run(signal);
 */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  readonly #policy: FullPolicy;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #pollMs: number;
  readonly #decide: (situation: Situation) => Step | undefined;
  /** What was read last: when the Secret is lost, it can be written again from here. */
  #known: { readonly resourceVersion: string; readonly state: CertificateState } | undefined;
  #inHand: DatedPair | undefined;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    this.#policy = fullPolicy(options.policy);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#pollMs = options.pollMs ?? 60_000;
    this.#decide = options.decide ?? decide;
  }

  /** When the certificate that is served ends, in milliseconds since 1970; undefined before there is one. For a metric. */
  get expiresAt(): number | undefined {
    return this.#inHand?.validUntil;
  }

  /** Whether the certificate that is served can be trusted now. For a readiness check. */
  get isHealthy(): boolean {
    return this.#inHand !== undefined && this.#clock.now() < this.#inHand.validUntil;
  }

  /**
   * Syncs again and again until the signal aborts. Never rejects: problems are reported to `onProblem`.
   *
   * Returns at once when the signal aborts. A sync under way is abandoned: the next replica continues from what it has
   * written, and its errors are those of a client that was closed.
   */
  async run(signal: AbortSignal): Promise<void> {
    let wake = (): void => undefined;
    const aborted = new Promise<void>((resolve) => (wake = resolve));
    signal.addEventListener("abort", wake, { once: true });
    await Promise.race([this.#loop(signal), aborted]);
    signal.removeEventListener("abort", wake);
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.sync();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onProblem?.(error);
        failures += 1;
      }
      const pauseMs = failures === 0 ? this.#pollMs : Math.min(this.#pollMs, 2_500 * 2 ** failures);
      try {
        await this.#clock.sleep(jitter(this.#random, pauseMs, 0.1), signal);
      } catch {
        return;
      }
    }
  }

  /**
   * Looks once and does everything that is due; returns what is served.
   *
   * Call it when a watched webhook configuration or CRD has changed, so that a new one need not wait for the next look.
   * Rejects with what the Secret or a bundle could not be read or written for; what is served stays.
   */
  async sync(): Promise<KeyPair> {
    for (let round = 0; round < roundsMax; round += 1) {
      const inHand = await this.#tryRound();
      if (inHand !== undefined) return inHand;
    }
    throw new RotationConflictError(roundsMax);
  }

  /** One look; undefined when something was written, by us or by another, and it has to be looked at again. */
  async #tryRound(): Promise<KeyPair | undefined> {
    // The bundles are read before the Secret. So what a bundle is replaced by is never older than what stood in it: a
    // newer one would have been written, after a newer Secret, between these two reads and the write, and its lock holds.
    const { bundles, failure } = await this.#readBundles();
    const secret = await this.#options.secret.get();
    const state = secret === undefined ? undefined : this.#parse(secret);
    const now = this.#clock.now();
    if (state === undefined) return this.#recover(secret, bundles, now);

    const wanted = bundleOf(state);
    const certs = splitCertificates(wanted);
    const wrong = bundles.filter(({ bundle }) => bundle !== wanted);
    const isPublished =
      failure === undefined && wrong.every(({ bundle }) => certs.every((cert) => bundle.includes(cert)));
    const situation = { state, now, isPublished, policy: this.#policy };
    const step = this.#decide(situation);
    // That a bundle could not be read does not mean that it is wrong.
    if (step !== undefined && !(step === "unpublished" && failure !== undefined)) {
      await this.#write(perform(step, situation), secret, step);
      return undefined;
    }
    const served = this.#serve(state, { isPublished, now });
    if (wrong.length > 0) await this.#publish(wanted, wrong);
    if (failure !== undefined) throw asError(failure.reason);
    return wrong.length > 0 ? undefined : served;
  }

  #parse({ resourceVersion, data }: StoredSecret): CertificateState | undefined {
    if (this.#known?.resourceVersion === resourceVersion) return this.#known.state;
    const state = parseState(data);
    if (state !== undefined) this.#known = { resourceVersion, state };
    return state;
  }

  /** Writes a lost or broken Secret again: as it was, where this replica remembers it, else with a new authority. */
  async #recover(secret: StoredSecret | undefined, bundles: readonly FoundBundle[], now: number): Promise<undefined> {
    const remembered = this.#known?.state;
    const isUsable = remembered !== undefined && now < remembered.current.validUntil;
    const base = isUsable ? remembered : begin({ now, policy: this.#policy, retired: [] });
    // Other replicas may be serving what authorities have signed that nobody here remembers. They stand in the bundles.
    const trusted = new Set(splitCertificates(bundleOf(base)));
    const found = new Set(bundles.flatMap(({ bundle }) => splitCertificates(bundle)));
    const retired = [...found].flatMap((cert) => {
      const end = trusted.has(cert) ? undefined : authorityEnd(cert);
      return end === undefined ? [] : [{ cert, retireAt: Math.min(end, now + this.#policy.servingLifeMs) }];
    });
    await this.#write({ ...base, retired: [...base.retired, ...retired] }, secret, isUsable ? "restore" : "begin");
  }

  /** Writes the Secret. Where another replica was first, its state is read in the next round. */
  async #write(state: CertificateState, secret: StoredSecret | undefined, step: Step | "restore"): Promise<void> {
    const data = formatState(state);
    try {
      await (secret === undefined
        ? this.#options.secret.create(data)
        : this.#options.secret.update(data, secret.resourceVersion));
    } catch (error) {
      // 404 for a create means that the namespace does not exist, which no further round changes.
      const isNamespaceMissing = secret === undefined && error instanceof NotFoundError;
      if (isOvertaken(error) && !isNamespaceMissing) return;
      throw error;
    }
    this.#options.onStep?.(step);
  }

  async #readBundles(): Promise<{ bundles: FoundBundle[]; failure: { reason: unknown } | undefined }> {
    const results = await Promise.allSettled(
      this.#options.targets.map(async (target) => {
        const read = await target.read();
        return read === undefined ? [] : [{ target, ...read }];
      }),
    );
    return {
      bundles: results.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
      failure: results.find((result) => result.status === "rejected"),
    };
  }

  /** Writes what is wrong. One bundle that cannot be written does not keep the others from it. */
  async #publish(bundle: string, wrong: readonly FoundBundle[]): Promise<void> {
    const results = await Promise.allSettled(wrong.map((it) => it.target.write(bundle, it.resourceVersion)));
    for (const result of results) {
      if (result.status === "rejected" && !isOvertaken(result.reason)) throw asError(result.reason);
    }
  }

  /**
   * Switches to the serving certificate of a state when that is safe: its authority is published, and API servers had the
   * time to see it. A replica with nothing valid to serve does not wait, as nothing is gained by it.
   */
  #serve(state: CertificateState, { isPublished, now }: { isPublished: boolean; now: number }): KeyPair | undefined {
    const { serving, switchAt } = state;
    if (serving === undefined) return this.#inHand;
    const held = this.#inHand;
    if (held?.cert === serving.cert) return held;
    const isHeldGood =
      held !== undefined &&
      now < held.validUntil &&
      splitCertificates(bundleOf(state)).some((authority) => isSignedBy(held.cert, authority));
    if (isHeldGood && !(isPublished && now >= switchAt)) return held;
    this.#options.serve({ cert: serving.cert, key: serving.key });
    this.#inHand = serving;
    return serving;
  }
}

interface FoundBundle {
  readonly target: CaBundleTarget;
  readonly bundle: string;
  readonly resourceVersion: string;
}

/** Whether a write failed because somebody else had written, made or deleted the object in the meantime. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof AlreadyExistsError || error instanceof NotFoundError;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
