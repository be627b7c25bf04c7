import type { Clock, Random } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import {
  type DegradedReason,
  describeMissing,
  type MissingKind,
  type Prerequisites,
  reasonOf,
  rulesYaml,
  type Verdict,
} from "../preflight/prerequisites.ts";

/** A part of the manager that starts when its prerequisites are met. */
export interface GatedPart {
  readonly prerequisites: Prerequisites;
  /** Called when the prerequisites are met, or could not be checked. */
  start(): void;
  /** Called when the prerequisites are not met, and again when the list of missing ones changes. */
  degrade(why: string, reason: DegradedReason): void;
}

/** A part that is not started, with the missing prerequisites and how to install them. */
export interface Degraded {
  readonly why: string;
  /** Commands that install the missing kinds. */
  readonly install: readonly string[];
}

/** Options of a {@link Gate}. */
export interface GateOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Checks prerequisites against the API server; see `preflight`. */
  readonly check: (needs: readonly Prerequisites[], signal: AbortSignal) => Promise<readonly Verdict[]>;
  /** Milliseconds until the first repeated check; doubled with each further one. Default: 2,000. */
  readonly recheckMs?: number | undefined;
  /** Upper limit of the interval between checks, in milliseconds. Default: 300,000. */
  readonly recheckMsMax?: number | undefined;
  /** Returns the command that installs a missing kind; undefined if it is unknown. */
  readonly installCommand?: ((kind: MissingKind) => string | undefined) | undefined;
  /** Called for every degraded part, once per list of missing prerequisites. The manager records an event. */
  readonly onDegraded: (name: string, degraded: Degraded) => void;
}

/**
 * Starts the parts of a manager whose prerequisites (CRDs and permissions) are met, and checks the others again until all are started.
 *
 * Without it, an informer whose kind is not installed or may not be listed would retry forever with a 404 or 403 in the log. Installing
 * CRDs and RBAC rules after the program is common with `kubectl apply -f directory`, so a missing prerequisite delays a part instead of ending
 * the program. A check that fails (API server unreachable) does not delay a part: the part then reports its own errors.
 */
export class Gate {
  readonly #options: GateOptions;
  /** Parts that are not started, with a description of their missing prerequisites. */
  readonly #unmet = new Map<GatedPart, string>();
  #isOpen = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** True if the prerequisites of all parts were checked once. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Checks the prerequisites of all parts once. Starts parts whose prerequisites could not be checked, with a warning. */
  async open(parts: readonly GatedPart[], signal: AbortSignal): Promise<void> {
    const { log, check } = this.#options;
    const results = await check(
      parts.map(({ prerequisites }) => prerequisites),
      signal,
    );
    for (const [i, part] of parts.entries()) {
      const result = results[i] ?? { is: "met" };
      if (result.is === "unknown") {
        log.warn("Failed to check prerequisites, starting anyway", {
          part: part.prerequisites.name,
          error: result.error,
        });
      }
      this.#apply(part, result.is === "unknown" ? { is: "met" } : result);
    }
    this.#isOpen = true;
  }

  /** Repeats the check for degraded parts with growing intervals, until all are started or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { check, clock, random, recheckMs = 2_000, recheckMsMax = 300_000 } = this.#options;
    let delayMs = recheckMs;
    while (this.#unmet.size > 0 && !signal.aborted) {
      // Jitter: the replicas of a Deployment start together and would check at the same time.
      await clock.sleep(delayMs * (0.8 + 0.4 * random.next()), signal).catch(() => undefined);
      if (signal.aborted) return;
      const unmet = [...this.#unmet];
      const results = await check(
        unmet.map(([{ prerequisites }]) => prerequisites),
        signal,
      ).catch(() => []);
      if (signal.aborted) return;
      delayMs = Math.min(recheckMsMax, delayMs * 2);
      for (const [i, [part, before]] of unmet.entries()) {
        const result = results[i];
        // A check that failed changes nothing; the part stays degraded with its last reason.
        if (result !== undefined && result.is !== "unknown") this.#apply(part, result);
        if (this.#unmet.get(part) !== before) delayMs = recheckMs;
      }
    }
  }

  #apply(part: GatedPart, result: Exclude<Verdict, { is: "unknown" }>): void {
    const { log, onDegraded } = this.#options;
    const { name } = part.prerequisites;
    const before = this.#unmet.get(part);
    if (result.is === "met") {
      this.#unmet.delete(part);
      if (before !== undefined) log.info("Prerequisites met, starting", { part: name });
      part.start();
      return;
    }
    const why = describeMissing(result);
    if (why === before) return;
    this.#unmet.set(part, why);
    const reason = reasonOf(result, part.prerequisites);
    part.degrade(why, reason);
    if (reason === "optional-kinds") {
      log.info("Waiting for optional CRDs", { part: name, missing: why });
      return;
    }
    const { installCommand = () => undefined } = this.#options;
    const install = [...new Set(result.kinds.flatMap((kind) => installCommand(kind) ?? []))];
    log.error("Waiting for missing CRDs or permissions", {
      part: name,
      missing: why,
      ...(install.length === 0 ? {} : { install: install.join("; ") }),
      ...(result.access.length === 0 ? {} : { rules: rulesYaml(result.access) }),
    });
    onDegraded(name, { why, install });
  }
}
