/** Parameters of a simulated load. */
export interface LoadShape {
  /** Requests per second and user. */
  readonly requestsPerUser: number;
  /** Fraction of requests that fail, from 0 to 1. */
  readonly failRatio: number;
  /** Median response time with few users, in milliseconds. */
  readonly responseMs: number;
  /** Requests that the users send in turn. */
  readonly targets: readonly { readonly method: string; readonly name: string }[];
}

/** Statistics of one target, or of all targets together. */
export interface LoadRow {
  readonly method: string;
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  readonly contentLength: number;
}

/** A change of the number of users, which started at `at`. */
interface Ramp {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
  readonly at: number;
}

/**
 * The statistics of a load test as functions of time: the number of users, and the requests they have sent.
 *
 * No request is actually sent. The result depends only on the given times, so tests with virtual time are reproducible.
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

  /** Starts the load, or changes the number of users of a running one. */
  start(users: number, perSecond: number, now: number): void {
    const from = this.users(now);
    this.#sent = this.#exact(now);
    this.#startedAt ??= now;
    this.#stoppedAt = undefined;
    this.#ramp = { from, to: users, perSecond, at: now };
    this.#usersMax = Math.max(this.#usersMax, users);
  }

  /** Stops all users. */
  stop(now: number): void {
    this.#sent = this.#exact(now);
    this.#stoppedAt = now;
    this.#ramp = { from: 0, to: 0, perSecond: 1, at: now };
  }

  /** Resets the statistics. A running load continues. */
  reset(now: number): void {
    const users = this.users(now);
    this.#sent = 0;
    const isRunning = this.#startedAt !== undefined && this.#stoppedAt === undefined;
    this.#startedAt = isRunning ? now : undefined;
    this.#ramp = { from: users, to: this.#ramp.to, perSecond: this.#ramp.perSecond, at: now };
  }

  /** Returns the number of users. Locust spawns the first users immediately and the next ones a second later. */
  users(now: number): number {
    const { from, to, perSecond, at } = this.#ramp;
    const moved = Math.floor(perSecond * (Math.floor(Math.max(0, now - at) / 1_000) + 1));
    return from <= to ? Math.min(to, from + moved) : Math.max(to, from - moved);
  }

  /** The time at which the desired number of users is reached. */
  get spawnedAt(): number {
    const { from, to, perSecond, at } = this.#ramp;
    return at + Math.max(0, Math.ceil(Math.abs(to - from) / perSecond) - 1) * 1_000;
  }

  /** Returns the requests so far for each target. Targets without requests are omitted, as in Locust. */
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

  /** Returns the duration of the load in seconds; at least 1, so that rates are finite. */
  seconds(now: number): number {
    if (this.#startedAt === undefined) return 1;
    return Math.max(1, ((this.#stoppedAt ?? now) - this.#startedAt) / 1_000);
  }

  /** Returns the current requests per second: the average of the last ten seconds, or of the whole run after its end. */
  currentRate(now: number): number {
    if (this.#startedAt === undefined) return 0;
    const end = this.#stoppedAt ?? now;
    if (this.#stoppedAt !== undefined) return Math.round((this.#sent / this.seconds(now)) * 10) / 10;
    const from = Math.max(this.#ramp.at, end - 10_000);
    const sent = this.#exact(end) - this.#exact(from);
    return end <= from ? 0 : Math.round((sent / ((end - from) / 1_000)) * 10) / 10;
  }

  /** Returns a response time percentile, 0.5 for the median. Response times grow with the number of users. */
  responseMs(part: number): number {
    const typical = this.shape.responseMs * (1 + this.#usersMax / 2_000);
    const factor = factors.find(([upTo]) => part <= upTo)?.[1] ?? 6;
    return roundResponse(typical * factor);
  }

  /** The minimum, average and maximum response time in milliseconds. */
  get responses(): { readonly min: number; readonly average: number; readonly max: number } {
    const typical = this.shape.responseMs * (1 + this.#usersMax / 2_000);
    return { min: roundResponse(typical * 0.5), average: typical * 1.15, max: roundResponse(typical * 6) };
  }

  /** Returns the number of requests sent so far, with fractions: the integral of the number of users over time. */
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

/** Response time percentiles as multiples of the median. */
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

/** Rounds a response time as Locust does: to 1 ms below 100 ms, to 10 ms below a second, otherwise to 100 ms. */
export function roundResponse(ms: number): number {
  if (ms < 100) return Math.round(ms);
  if (ms < 1_000) return Math.round(ms / 10) * 10;
  return Math.round(ms / 100) * 100;
}
