import type { RawApi } from "./raw-api.ts";
import { now } from "./time.ts";
import { group, namespaces, widgetName } from "./widget.ts";

/** Options of {@link Updates}. */
export interface UpdateOptions {
  readonly api: RawApi;
  /** Number of objects to choose from. */
  readonly objects: number;
  readonly perSecond: number;
  /** Number of changes; undefined to continue until stopped. */
  readonly count?: number;
  readonly signal: AbortSignal;
}

/** A sent change. */
export interface Update {
  readonly sentAt: number;
  /** Time of the response; undefined before it arrives. */
  acceptedAt: number | undefined;
}

/** Unique within a run of the driver, so that a late event of an earlier round is not counted. */
let sequence = 0;

/**
 * Changes different objects at a steady rate, independently of the responses. Failed changes are not retried.
 *
 * Every change has a sequence number, which runtimes report.
 */
export class Updates {
  readonly sent = new Map<number, Update>();
  readonly #options: UpdateOptions;
  #isStopped = false;

  constructor(options: UpdateOptions) {
    this.#options = options;
  }

  /** Sends all changes. Resolves when the last response has arrived. */
  async run(): Promise<void> {
    const { perSecond, count = Infinity, signal } = this.#options;
    const started = performance.now();
    const responses: Promise<void>[] = [];
    for (let i = 0; i < count && !this.#isStopped && !signal.aborted; i += 1) {
      const wait = started + (i * 1000) / perSecond - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      responses.push(this.#send());
    }
    await Promise.all(responses);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(): Promise<void> {
    sequence += 1;
    const number = sequence;
    // A prime step visits all objects before it repeats one.
    const path = `/apis/${group}/v1/namespaces/${namespaces.cached}/widgets/${widgetName((number * 7919) % this.#options.objects)}`;
    const update: Update = { sentAt: now(), acceptedAt: undefined };
    this.sent.set(number, update);
    try {
      const body = JSON.stringify({ spec: { sequence: number } });
      const { status } = await this.#options.api.send({ method: "PATCH", path, body, timeoutMs: 5000 });
      if (status === 200) update.acceptedAt = now();
    } catch {
      // The server was not reachable.
    }
  }
}
