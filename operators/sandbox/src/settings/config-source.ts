// The current configuration, and its last problems.

import { type ConfigProblem, defaultConfig, type OperatorConfig, parseConfig } from "./config.ts";

/** The result of reading the configuration again. */
export type ConfigUpdate =
  | { readonly outcome: "unchanged" }
  | { readonly outcome: "loaded"; readonly config: OperatorConfig }
  | { readonly outcome: "rejected"; readonly problems: readonly ConfigProblem[] };

/**
 * Holds the configuration that is in force. An invalid text does not replace it: the operator keeps its last valid configuration instead of running
 * without limits.
 */
export class ConfigSource {
  #config: OperatorConfig = defaultConfig;
  #problems: readonly ConfigProblem[] = [];
  #text: string | undefined;
  #isRead = false;
  readonly #followers = new Set<() => void>();

  /** The configuration in force. Call it for every use: it changes at run time. */
  readonly current = (): OperatorConfig => this.#config;

  /** Problems of the last text; empty if it is in force. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  /** Reads the text of `config.yaml`; undefined if the ConfigMap or its key is absent, which means the defaults. */
  update(text: string | undefined): ConfigUpdate {
    const result = this.#replace(text);
    const isNew = !this.#isRead || result.outcome === "loaded";
    this.#isRead = true;
    if (isNew) for (const wake of this.#followers) wake();
    return result;
  }

  #replace(text: string | undefined): ConfigUpdate {
    if (text === this.#text) return { outcome: "unchanged" };
    this.#text = text;
    const parsed = text === undefined ? { config: defaultConfig } : parseConfig(text);
    if ("problems" in parsed) {
      this.#problems = parsed.problems;
      return { outcome: "rejected", problems: parsed.problems };
    }
    this.#problems = [];
    this.#config = parsed.config;
    return { outcome: "loaded", config: parsed.config };
  }

  /**
   * Waits until the configuration has been read once. Until then the defaults are in force, which must not be applied to existing objects: without a
   * preview domain, for example, the gateway is deleted.
   */
  async ready(signal: AbortSignal): Promise<void> {
    while (!this.#isRead) {
      signal.throwIfAborted();
      await this.#untilRead(signal);
    }
  }

  /** Yields the configuration whenever another text was loaded after the first one, until the signal aborts. A slow reader gets only the last one. */
  async *follow(signal: AbortSignal): AsyncGenerator<OperatorConfig> {
    while (!this.#isRead && !signal.aborted) await this.#untilRead(signal);
    let seen = this.#config;
    while (!signal.aborted) {
      if (this.#config === seen) await this.#untilRead(signal);
      if (signal.aborted || this.#config === seen) continue;
      seen = this.#config;
      yield seen;
    }
  }

  /** Waits until another text was read, or the signal aborts. */
  async #untilRead(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#followers.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#followers.add(end);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
