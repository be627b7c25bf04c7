import type { RawApi } from "./raw-api.ts";
import { now } from "./time.ts";
import { group, namespaces, widgetName } from "./widget.ts";

/** What changes to send. */
export interface UpdateOptions {
  readonly api: RawApi;
  /** How many objects there are to choose from. */
  readonly objects: number;
  readonly perSecond: number;
  /** How many changes; without it, until stopped. */
  readonly count?: number;
  readonly signal: AbortSignal;
}

/** One change that was sent. */
export interface Update {
  readonly sentAt: number;
  /** When the server said that it is done; undefined while it has not. */
  acceptedAt: number | undefined;
}

/** Never the same twice in one run of the driver, so that an echo of an earlier round is not taken for news. */
let sequence = 0;

/**
 * Sends changes of different objects at a steady rate, whether or not they are answered; those that fail are left.
 *
 * Every change has a number, which contestants tell of.
 */
export class Updates {
  readonly sent = new Map<number, Update>();
  readonly #options: UpdateOptions;
  #isStopped = false;

  constructor(options: UpdateOptions) {
    this.#options = options;
  }

  /** Sends them all; resolves when the last one is answered. */
  async run(): Promise<void> {
    const { perSecond, count = Infinity, signal } = this.#options;
    const started = performance.now();
    const answers: Promise<void>[] = [];
    for (let i = 0; i < count && !this.#isStopped && !signal.aborted; i += 1) {
      const wait = started + (i * 1000) / perSecond - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      answers.push(this.#send());
    }
    await Promise.all(answers);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(): Promise<void> {
    sequence += 1;
    const number = sequence;
    // A step that has no factor in common with any usual count goes through all objects before it repeats one.
    const path = `/apis/${group}/v1/namespaces/${namespaces.cached}/widgets/${widgetName((number * 7919) % this.#options.objects)}`;
    const update: Update = { sentAt: now(), acceptedAt: undefined };
    this.sent.set(number, update);
    try {
      const body = JSON.stringify({ spec: { sequence: number } });
      const { status } = await this.#options.api.send({ method: "PATCH", path, body, timeoutMs: 5000 });
      if (status === 200) update.acceptedAt = now();
    } catch {
      // There was no server to take it.
    }
  }
}
