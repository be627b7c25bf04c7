// A model of a cluster in which certificates rotate: one Secret, two bundles, API servers that notice changes late,
// replicas that restart, a network that fails. A checker runs after every change.

import { apiErrorFrom, FakeClock, SeededRandom } from "@homeostat/core";
import { isSignedBy, type KeyPair, readCertificate, splitCertificates } from "@homeostat/x509";
import { CertificateKeeper } from "../certificates/keeper.ts";
import type { CertificateRotationInput, CertificateRotationStep } from "../certificates/decide.ts";
import type { CaBundleTarget, SecretStore, StoredSecret } from "../certificates/ports.ts";

export const minuteMs = 60_000;
export const hourMs: number = 60 * minuteMs;
export const dayMs: number = 24 * hourMs;

/** Time for which an API server may still use a bundle that was replaced. */
const lagMs = minuteMs;

/** The parts that a planted bug replaces. */
export interface Planted {
  readonly decide?: (situation: CertificateRotationInput) => CertificateRotationStep | undefined;
  readonly store?: (store: SecretStore) => SecretStore;
  readonly target?: (target: CaBundleTarget) => CaBundleTarget;
}

interface Replica {
  readonly name: string;
  serving: KeyPair | undefined;
  cutOffUntil: number;
  stop: AbortController;
}

export class ClusterModel {
  readonly clock: FakeClock = new FakeClock();
  readonly random: SeededRandom;
  readonly violations: string[] = [];
  readonly steps: Map<string, number> = new Map();
  /** Number of times a replica has changed its certificate. */
  switches = 0;
  secret: { data: Readonly<Record<string, string>>; version: number } | undefined;
  #version = 1;
  readonly #bundles: { bundle: string; since: number; version: number }[][] = [0, 1].map(() => [
    { bundle: "", since: 0, version: 1 },
  ]);
  readonly replicas: Replica[] = ["a", "b"].map((name) => ({
    name,
    serving: undefined,
    cutOffUntil: 0,
    stop: new AbortController(),
  }));
  readonly #planted: Planted;
  readonly #signed = new Map<string, boolean>();
  readonly #ends = new Map<string, number>();
  isChecking = false;
  failurePercent = 0;

  constructor(seed: number, planted: Planted = {}) {
    this.random = new SeededRandom(seed);
    this.#planted = planted;
  }

  start(replica: Replica): void {
    replica.stop = new AbortController();
    replica.serving = undefined;
    const { store = (it) => it, target = (it) => it, decide } = this.#planted;
    const keeper = new CertificateKeeper({
      secret: store(this.#store(replica)),
      targets: [0, 1].map((index) => target(this.#target(replica, index))),
      policy: { hosts: ["hook.example.svc"] },
      serve: (pair) => {
        replica.serving = pair;
        this.switches += 1;
        this.check(`${replica.name} serves another certificate`);
      },
      clock: this.clock,
      random: this.random,
      pollMs: 12 * hourMs,
      onStep: (step) => this.steps.set(step, (this.steps.get(step) ?? 0) + 1),
      ...(decide !== undefined && { decide }),
    });
    void keeper.run(replica.stop.signal);
  }

  /** Simulates a restart of the process. */
  restart(replica: Replica): void {
    replica.stop.abort();
    this.start(replica);
  }

  currentBundle(index: number): string {
    return this.#bundles[index]?.at(-1)?.bundle ?? "";
  }

  /** Records a violation if an API server would not accept a replica now. */
  check(event: string): void {
    if (!this.isChecking) return;
    const now = this.clock.now();
    for (const { name, serving } of this.replicas) {
      if (serving === undefined) continue;
      if (this.#end(serving.cert) <= now) this.#violate(`${event}: the certificate of ${name} has ended`);
      for (const history of this.#bundles) {
        const seen = history.filter((_, index) => (history[index + 1]?.since ?? Infinity) > now - lagMs);
        for (const { bundle } of seen) {
          const isTrusted = splitCertificates(bundle).some(
            (cert) => this.#end(cert) > now && this.#isSigned(serving.cert, cert),
          );
          if (!isTrusted) this.#violate(`${event}: ${name} is not trusted`);
        }
      }
    }
  }

  #violate(what: string): void {
    this.violations.push(`${new Date(this.clock.now()).toISOString()} ${what}`);
  }

  #end(cert: string): number {
    const cached = this.#ends.get(cert) ?? readCertificate(cert).validUntil.getTime();
    this.#ends.set(cert, cached);
    return cached;
  }

  #isSigned(cert: string, authority: string): boolean {
    const key = cert + authority;
    const cached = this.#signed.get(key) ?? isSignedBy(cert, authority);
    this.#signed.set(key, cached);
    return cached;
  }

  /** Simulates a network call: it takes a while, and the request or the response may be lost. */
  async #call<T>(replica: Replica, run: () => T): Promise<T> {
    const { signal } = replica.stop;
    await this.clock.sleep(this.random.int(2_000), signal);
    const isCutOff = this.clock.now() < replica.cutOffUntil;
    if (isCutOff || this.random.int(100) < this.failurePercent) throw new Error("the network failed");
    const result = run();
    await this.clock.sleep(this.random.int(2_000), signal);
    if (this.random.int(100) < this.failurePercent) throw new Error("the response was lost");
    return result;
  }

  #store(replica: Replica): SecretStore {
    return {
      get: () =>
        this.#call(replica, (): StoredSecret | undefined =>
          this.secret === undefined
            ? undefined
            : { data: this.secret.data, resourceVersion: String(this.secret.version) },
        ),
      create: (data) =>
        this.#call(replica, () => {
          if (this.secret !== undefined) throw refusal("AlreadyExists");
          this.secret = { data, version: (this.#version += 1) };
        }),
      update: (data, resourceVersion) =>
        this.#call(replica, () => {
          if (this.secret === undefined) throw refusal("NotFound");
          if (String(this.secret.version) !== resourceVersion) throw refusal("Conflict");
          this.secret = { data, version: (this.#version += 1) };
        }),
    };
  }

  #target(replica: Replica, index: number): CaBundleTarget {
    const history = this.#bundles[index] ?? [];
    return {
      name: `target ${index}`,
      read: () =>
        this.#call(replica, () => {
          const last = history.at(-1);
          return last === undefined ? undefined : { bundle: last.bundle, resourceVersion: String(last.version) };
        }),
      write: (bundle, resourceVersion) =>
        this.#call(replica, () => {
          if (String(history.at(-1)?.version) !== resourceVersion) throw refusal("Conflict");
          history.push({ bundle, since: this.clock.now(), version: (this.#version += 1) });
          if (history.length > 20) history.shift();
          this.check(`target ${index} has another bundle`);
        }),
    };
  }
}

function refusal(reason: "Conflict" | "AlreadyExists" | "NotFound"): Error {
  const status = reason === "NotFound" ? 404 : 409;
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code: status });
  return apiErrorFrom({ status, headers: {}, body });
}
