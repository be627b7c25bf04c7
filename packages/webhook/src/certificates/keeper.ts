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
import { begin, decide, perform, type CertificateRotationInput, type CertificateRotationStep } from "./decide.ts";
import { type CertificatePolicy, type FullPolicy, fullPolicy } from "./policy.ts";
import type { CaBundleTarget, SecretStore, StoredSecret } from "./ports.ts";
import { authorityEnd, bundleOf, type CertificateState, type DatedPair, formatState, parseState } from "./state.ts";

/** Options of a {@link CertificateKeeper}. */
export interface CertificateKeeperOptions {
  readonly secret: SecretStore;
  readonly targets: readonly CaBundleTarget[];
  readonly policy: CertificatePolicy;
  /**
   * Called with the certificate to serve from now on, initially and after every rotation: `(pair) =>
   * server.reload(pair)`.
   */
  readonly serve: (certificate: KeyPair) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Polling interval in milliseconds. Default one minute. */
  readonly pollMs?: number;
  /** Called with every error. The keeper retries by itself. */
  readonly onProblem?: (error: unknown) => void;
  /** Called with every step that this replica has taken. */
  readonly onStep?: (step: CertificateRotationStep | "restore") => void;
  /** Decision function. Replaced only by tests that verify the rotation checker itself. */
  readonly decide?: (situation: CertificateRotationInput) => CertificateRotationStep | undefined;
}

/** More rounds than any sequence of steps needs. Beyond it, another program must be writing all the time. */
const roundsMax = 20;

/**
 * Keeps a CA and a serving certificate in a Secret, renews both in time, and keeps every `caBundle` up to date.
 *
 * Every replica runs one, without leader election. `decide.ts` explains the order of a rotation, and why no API server
 * ever meets a certificate that it does not trust.
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
  readonly #decide: (situation: CertificateRotationInput) => CertificateRotationStep | undefined;
  /** State that was read last. If the Secret is lost, it is restored from here. */
  #lastRead: { readonly resourceVersion: string; readonly state: CertificateState } | undefined;
  #served: DatedPair | undefined;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    this.#policy = fullPolicy(options.policy);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#pollMs = options.pollMs ?? 60_000;
    this.#decide = options.decide ?? decide;
  }

  /** Expiry of the served certificate, in milliseconds since 1970; undefined before there is one. For a metric. */
  get expiresAt(): number | undefined {
    return this.#served?.validUntil;
  }

  /** True if the served certificate is valid now. For a readiness check. */
  get isHealthy(): boolean {
    return this.#served !== undefined && this.#clock.now() < this.#served.validUntil;
  }

  /**
   * Syncs periodically until the signal aborts. Never rejects: errors are reported to `onProblem`.
   *
   * Returns at once when the signal aborts and abandons a sync in progress: another replica continues from what it has
   * written, and its errors are only those of a closed client.
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
   * Reads the Secret and the bundles, takes every step that is due, and returns the served certificate.
   *
   * Call it when a watched webhook configuration or CRD has changed, so that a new one need not wait for the next poll.
   * Rejects if the Secret or a bundle cannot be read or written; the served certificate remains in use.
   */
  async sync(): Promise<KeyPair> {
    for (let round = 0; round < roundsMax; round += 1) {
      const served = await this.#tryRound();
      if (served !== undefined) return served;
    }
    throw new RotationConflictError(roundsMax);
  }

  /**
   * Performs one round. Returns undefined if this or another replica has written something, so that another round is
   * needed.
   */
  async #tryRound(): Promise<KeyPair | undefined> {
    // Read the bundles before the Secret, so that an older bundle never replaces a newer one. Every replica writes CAs
    // to the Secret first and to the bundles afterwards, so the Secret read here is at least as new as the bundles read
    // before it. If another replica writes a newer bundle after our read, our write fails because of its
    // resourceVersion.
    const { bundles, failure } = await this.#readBundles();
    const secret = await this.#options.secret.get();
    const state = secret === undefined ? undefined : this.#parse(secret);
    const now = this.#clock.now();
    if (state === undefined) return this.#recover(secret, bundles, now);

    const expected = bundleOf(state);
    const certs = splitCertificates(expected);
    const outdated = bundles.filter(({ bundle }) => bundle !== expected);
    const isPublished =
      failure === undefined && outdated.every(({ bundle }) => certs.every((cert) => bundle.includes(cert)));
    const situation = { state, now, isPublished, policy: this.#policy };
    const step = this.#decide(situation);
    // A failed read does not mean that the bundle is outdated.
    if (step !== undefined && !(step === "unpublished" && failure !== undefined)) {
      await this.#write(perform(step, situation), secret, step);
      return undefined;
    }
    const served = this.#serve(state, { isPublished, now });
    if (outdated.length > 0) await this.#publish(expected, outdated);
    if (failure !== undefined) throw asError(failure.reason);
    return outdated.length > 0 ? undefined : served;
  }

  #parse({ resourceVersion, data }: StoredSecret): CertificateState | undefined {
    if (this.#lastRead?.resourceVersion === resourceVersion) return this.#lastRead.state;
    const state = parseState(data);
    if (state !== undefined) this.#lastRead = { resourceVersion, state };
    return state;
  }

  /** Restores a lost or broken Secret from the state that this replica read last, or creates one with a new CA. */
  async #recover(secret: StoredSecret | undefined, bundles: readonly ReadBundle[], now: number): Promise<undefined> {
    const remembered = this.#lastRead?.state;
    const isUsable = remembered !== undefined && now < remembered.current.validUntil;
    const base = isUsable ? remembered : begin({ now, policy: this.#policy, retired: [] });
    // Other replicas may serve certificates of CAs that this one does not know. Those CAs are in the bundles and must
    // remain trusted.
    const trusted = new Set(splitCertificates(bundleOf(base)));
    const found = new Set(bundles.flatMap(({ bundle }) => splitCertificates(bundle)));
    const retired = [...found].flatMap((cert) => {
      const end = trusted.has(cert) ? undefined : authorityEnd(cert);
      return end === undefined ? [] : [{ cert, retireAt: Math.min(end, now + this.#policy.servingLifeMs) }];
    });
    await this.#write({ ...base, retired: [...base.retired, ...retired] }, secret, isUsable ? "restore" : "begin");
  }

  /** Writes the Secret. If another replica was faster, the next round reads its state. */
  async #write(
    state: CertificateState,
    secret: StoredSecret | undefined,
    step: CertificateRotationStep | "restore",
  ): Promise<void> {
    const data = formatState(state);
    try {
      await (secret === undefined
        ? this.#options.secret.create(data)
        : this.#options.secret.update(data, secret.resourceVersion));
    } catch (error) {
      // A create fails with 404 if the namespace does not exist. Another round would not help.
      const isNamespaceMissing = secret === undefined && error instanceof NotFoundError;
      if (isWriteConflict(error) && !isNamespaceMissing) return;
      throw error;
    }
    this.#options.onStep?.(step);
  }

  async #readBundles(): Promise<{ bundles: ReadBundle[]; failure: { reason: unknown } | undefined }> {
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

  /** Writes the outdated bundles. A bundle that cannot be written does not prevent the others from being written. */
  async #publish(bundle: string, outdated: readonly ReadBundle[]): Promise<void> {
    const results = await Promise.allSettled(outdated.map((it) => it.target.write(bundle, it.resourceVersion)));
    for (const result of results) {
      if (result.status === "rejected" && !isWriteConflict(result.reason)) throw asError(result.reason);
    }
  }

  /**
   * Switches to the serving certificate of a state when that is safe: its CA is in every bundle, and API servers have
   * had time to read it. A replica without a valid certificate switches at once, because it has nothing to lose.
   */
  #serve(state: CertificateState, { isPublished, now }: { isPublished: boolean; now: number }): KeyPair | undefined {
    const { serving, switchAt } = state;
    if (serving === undefined) return this.#served;
    const current = this.#served;
    if (current?.cert === serving.cert) return current;
    const isServedValid =
      current !== undefined &&
      now < current.validUntil &&
      splitCertificates(bundleOf(state)).some((authority) => isSignedBy(current.cert, authority));
    if (isServedValid && !(isPublished && now >= switchAt)) return current;
    this.#options.serve({ cert: serving.cert, key: serving.key });
    this.#served = serving;
    return serving;
  }
}

interface ReadBundle {
  readonly target: CaBundleTarget;
  readonly bundle: string;
  readonly resourceVersion: string;
}

/** Reports whether a write failed because the object was changed, created or deleted in the meantime. */
function isWriteConflict(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof AlreadyExistsError || error instanceof NotFoundError;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
