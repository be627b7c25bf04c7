import type { Clock } from "@homeostat/core";

/** Uses of a token since the last report. */
export interface TokenUse {
  readonly id: string;
  readonly count: number;
  /** Time of the last use, RFC 3339. */
  readonly lastUsedAt: string;
}

/** Tokens whose uses wait for the next report. Uses of more are not counted. */
const tokensMax = 1_000;

/** Counts how often tokens open preview hosts, until the route server has the counts. */
export class UseCounter {
  readonly #clock: Pick<Clock, "now">;
  #uses = new Map<string, TokenUse>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#uses.size === 0;
  }

  /** Counts a use. */
  record(id: string): void {
    this.#add({ id, count: 1, lastUsedAt: new Date(this.#clock.now()).toISOString() });
  }

  /** Returns the uses since the last call, and forgets them. */
  take(): readonly TokenUse[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  /** Takes uses back that could not be reported. */
  putBack(uses: readonly TokenUse[]): void {
    for (const use of uses) this.#add(use);
  }

  #add(use: TokenUse): void {
    const before = this.#uses.get(use.id);
    if (before === undefined && this.#uses.size >= tokensMax) return;
    const lastUsedAt = before !== undefined && before.lastUsedAt > use.lastUsedAt ? before.lastUsedAt : use.lastUsedAt;
    this.#uses.set(use.id, { id: use.id, count: (before?.count ?? 0) + use.count, lastUsedAt });
  }
}
