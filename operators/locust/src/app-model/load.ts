/** What the load is made of. */
export interface LoadShape {
  /** How many requests a user sends in a second. */
  readonly requestsPerUser: number;
  /** Which part of them fails: 0 to 1. */
  readonly failRatio: number;
  /** How long the typical one takes when there are few users, in milliseconds. */
  readonly responseMs: number;
  /** What is asked for. */
  readonly targets: readonly { readonly method: string; readonly name: string }[];
}

/** The numbers of one target, or of all together. */
export interface LoadRow {
  readonly method: string;
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  readonly contentLength: number;
}

/** A change of the number of users: from how many to how many, how fast, and when it began. */
interface Ramp {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
  readonly at: number;
}

/**
 * The numbers of a load test as functions of time: users that come one after the other, and the requests they have sent.
 *
 * Nothing is sent to anybody. The same times give the same numbers.
 */
export class Load {
  readonly shape: LoadShape;
  #ramp: Ramp = { from: 0, to: 0, perSecond: 1, at: 0 };
  #sent = 0;
  #startedAt: number | undefined;
  #stoppedAt: number | undefined;
  #usersMax = 0;

  constructor(shape: LoadShape) {
    this.shape = shape;
  }

  /** Begins, or goes on with another number of users. */
  start(users: number, perSecond: number, now: number): void {
    const from = this.users(now);
    this.#sent = this.#exact(now);
    this.#startedAt ??= now;
    this.#stoppedAt = undefined;
    this.#ramp = { from, to: users, perSecond, at: now };
    this.#usersMax = Math.max(this.#usersMax, users);
  }

  /** Sends all users away. */
  stop(now: number): void {
    this.#sent = this.#exact(now);
    this.#stoppedAt = now;
    this.#ramp = { from: 0, to: 0, perSecond: 1, at: now };
  }

  /** Forgets all numbers; what goes on goes on. */
  reset(now: number): void {
    const users = this.users(now);
    this.#sent = 0;
    const isRunning = this.#startedAt !== undefined && this.#stoppedAt === undefined;
    this.#startedAt = isRunning ? now : undefined;
    this.#ramp = { from: users, to: this.#ramp.to, perSecond: this.#ramp.perSecond, at: now };
  }

  /** How many users there are. The first ones come at once, the next a second later. */
  users(now: number): number {
    const { from, to, perSecond, at } = this.#ramp;
    const moved = Math.floor(perSecond * (Math.floor(Math.max(0, now - at) / 1_000) + 1));
    return from <= to ? Math.min(to, from + moved) : Math.max(to, from - moved);
  }

  /** When the wanted number of users is reached. */
  get spawnedAt(): number {
    const { from, to, perSecond, at } = this.#ramp;
    return at + Math.max(0, Math.ceil(Math.abs(to - from) / perSecond) - 1) * 1_000;
  }

  /** Requests so far, for each target. Those that nobody asked for yet are left out. */
  rows(now: number): readonly LoadRow[] {
    const requests = Math.floor(this.#exact(now));
    const { targets, failRatio } = this.shape;
    return targets.flatMap(({ method, name }, index) => {
      const share = Math.floor((requests + targets.length - 1 - index) / targets.length);
      const row = {
        method,
        name,
        requests: share,
        failures: Math.floor(share * failRatio),
        contentLength: 512 + name.length,
      };
      return share === 0 ? [] : [row];
    });
  }

  /** For how many seconds requests have been sent; at least one, so that rates are finite. */
  seconds(now: number): number {
    if (this.#startedAt === undefined) return 1;
    return Math.max(1, ((this.#stoppedAt ?? now) - this.#startedAt) / 1_000);
  }

  /** Requests in a second, of late: the average of the last ten seconds; at the end, of those before it. */
  currentRate(now: number): number {
    if (this.#startedAt === undefined) return 0;
    const end = this.#stoppedAt ?? now;
    if (this.#stoppedAt !== undefined) return Math.round((this.#sent / this.seconds(now)) * 10) / 10;
    const from = Math.max(this.#ramp.at, end - 10_000);
    const sent = this.#exact(end) - this.#exact(from);
    return end <= from ? 0 : Math.round((sent / ((end - from) / 1_000)) * 10) / 10;
  }

  /** How long the given part of the requests took at most: 0.5 for the median. It grows with the number of users. */
  responseMs(part: number): number {
    const typical = this.shape.responseMs * (1 + this.#usersMax / 2_000);
    const factor = factors.find(([upTo]) => part <= upTo)?.[1] ?? 6;
    return roundResponse(typical * factor);
  }

  /** The shortest, the average and the longest. */
  get responses(): { readonly min: number; readonly average: number; readonly max: number } {
    const typical = this.shape.responseMs * (1 + this.#usersMax / 2_000);
    return { min: roundResponse(typical * 0.5), average: typical * 1.15, max: roundResponse(typical * 6) };
  }

  #exact(now: number): number {
    if (this.#startedAt === undefined || this.#stoppedAt !== undefined) return this.#sent;
    const { from, to, perSecond, at } = this.#ramp;
    const seconds = Math.max(0, now - at) / 1_000;
    const sign = from <= to ? 1 : -1;
    const rampSeconds = Math.min(seconds, Math.max(0, Math.abs(to - from) / perSecond - 1));
    const ramped = from * rampSeconds + sign * perSecond * (rampSeconds ** 2 / 2 + rampSeconds);
    return this.#sent + (ramped + to * (seconds - rampSeconds)) * this.shape.requestsPerUser;
  }
}

const factors: readonly (readonly [part: number, factor: number])[] = [
  [0.5, 1],
  [0.66, 1.15],
  [0.75, 1.3],
  [0.8, 1.45],
  [0.9, 1.9],
  [0.95, 2.4],
  [0.98, 3.1],
  [0.99, 3.6],
  [0.999, 4.5],
  [0.9999, 5.3],
  [1, 6],
];

/** Rounds as Locust keeps response times: to 1, 10 or 100 ms, the coarser the longer. */
export function roundResponse(ms: number): number {
  if (ms < 100) return Math.round(ms);
  if (ms < 1_000) return Math.round(ms / 10) * 10;
  return Math.round(ms / 100) * 100;
}
