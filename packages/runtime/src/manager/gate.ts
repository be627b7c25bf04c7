import type { Clock, Random } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import { describeUnmet, type MissingKind, type Need, reasonOf, rulesYaml, type Verdict } from "../preflight/need.ts";

/** Something that waits at the gate until its need is met. */
export interface Waiting {
  readonly need: Need;
  /** Its need is met, or nobody could say that it is not. */
  admit(): void;
  /** Its need is not met. Called again when what is missing changes. */
  degrade(why: string, reason: "kinds" | "access"): void;
}

/** Why something does not start, and what to do about it. */
export interface Degraded {
  readonly why: string;
  /** The commands that install what is missing. */
  readonly install: readonly string[];
}

/** Options of a {@link Gate}. */
export interface GateOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Asks the server: see `preflight`. */
  readonly ask: (needs: readonly Need[], signal: AbortSignal) => Promise<readonly Verdict[]>;
  /** How soon after a refusal to ask again. Default: 2,000. */
  readonly recheckMs?: number | undefined;
  /** Never later than this. Default: 300,000. */
  readonly recheckMsMax?: number | undefined;
  /** Returns the command that installs a missing kind; undefined where that is not known. */
  readonly installCommand?: ((kind: MissingKind) => string | undefined) | undefined;
  /** Told of everything that is degraded, once for each new reason: the place to record an event. */
  readonly onDegraded: (name: string, degraded: Degraded) => void;
}

/** Lets those in whose needs are met, says what the others lack, and asks again for them until they are in. */
export class Gate {
  readonly #options: GateOptions;
  readonly #outside = new Map<Waiting, string>();
  #isOpen = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whether everybody has been asked about once. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Asks for all of them. Whoever the server says nothing about is let in, with a warning. */
  async open(waiting: readonly Waiting[], signal: AbortSignal): Promise<void> {
    const { log, ask } = this.#options;
    const verdicts = await ask(
      waiting.map(({ need }) => need),
      signal,
    );
    for (const [i, who] of waiting.entries()) {
      const verdict = verdicts[i] ?? { is: "met" };
      if (verdict.is === "unknown") {
        log.warn("Could not find out what this program may do; starting all the same", {
          part: who.need.name,
          error: verdict.error,
        });
      }
      this.#judge(who, verdict.is === "unknown" ? { is: "met" } : verdict);
    }
    this.#isOpen = true;
  }

  /** Asks again for those who are outside, ever more rarely, until all are in or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { ask, clock, random, recheckMs = 2_000, recheckMsMax = 300_000 } = this.#options;
    let delayMs = recheckMs;
    while (this.#outside.size > 0 && !signal.aborted) {
      // Spread out: many replicas ask at the same time.
      await clock.sleep(delayMs * (0.8 + 0.4 * random.next()), signal).catch(() => undefined);
      if (signal.aborted) return;
      const outside = [...this.#outside];
      const verdicts = await ask(
        outside.map(([{ need }]) => need),
        signal,
      ).catch(() => []);
      if (signal.aborted) return;
      delayMs = Math.min(recheckMsMax, delayMs * 2);
      for (const [i, [who, before]] of outside.entries()) {
        const verdict = verdicts[i];
        // No answer is no news.
        if (verdict !== undefined && verdict.is !== "unknown") this.#judge(who, verdict);
        if (this.#outside.get(who) !== before) delayMs = recheckMs;
      }
    }
  }

  #judge(who: Waiting, verdict: Exclude<Verdict, { is: "unknown" }>): void {
    const { log, onDegraded } = this.#options;
    const { name } = who.need;
    const before = this.#outside.get(who);
    if (verdict.is === "met") {
      this.#outside.delete(who);
      if (before !== undefined) log.info("Prerequisites met, starting", { part: name });
      who.admit();
      return;
    }
    const why = describeUnmet(verdict);
    if (why === before) return;
    this.#outside.set(who, why);
    who.degrade(why, reasonOf(verdict));
    const { installCommand = () => undefined } = this.#options;
    const install = [...new Set(verdict.kinds.flatMap((kind) => installCommand(kind) ?? []))];
    log.error("Waiting for missing CRDs or permissions", {
      part: name,
      missing: why,
      ...(install.length === 0 ? {} : { install: install.join("; ") }),
      ...(verdict.access.length === 0 ? {} : { rules: rulesYaml(verdict.access) }),
    });
    onDegraded(name, { why, install });
  }
}
