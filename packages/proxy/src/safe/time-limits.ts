import type { Clock, Timer } from "@homeostat/core";
import { readGrpcTimeout } from "../http2/request-head.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The time limits of an exchange: from the end of the request to the head of the response, or `grpc-timeout`, and the time without a byte in
 * either direction.
 */
export class TimeLimits {
  /** Aborts when the client leaves, or a limit has passed. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #limits: ProxyLimits;
  readonly #over = new AbortController();
  #headTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #idleMs: number;
  #activeMs: number;
  #isStopped = false;
  /** Time at which a gRPC call is over for its client. */
  #callEndMs = Infinity;

  constructor(clock: Clock, limits: ProxyLimits, { gone, request, fields, hasBody, body }: Exchange) {
    this.#clock = clock;
    this.#limits = limits;
    this.signal = AbortSignal.any([gone, this.#over.signal]);
    this.#activeMs = clock.monotonic();
    this.#idleMs = request.isUpgrade ? limits.longStreamIdleMs : limits.streamIdleMs;
    this.#checkIdle();
    if (request.isUpgrade) return;
    if (request.isGrpc) {
      const timeoutMs = readGrpcTimeout(fields.find(([name]) => name === "grpc-timeout")?.[1]);
      if (timeoutMs !== undefined) {
        this.#callEndMs = this.#activeMs + timeoutMs;
        this.#limitHead(Math.ceil(timeoutMs));
      }
    } else if (hasBody) body.once("end", () => this.#limitHead(limits.responseHeadMs));
    else this.#limitHead(limits.responseHeadMs);
  }

  /** True if a limit has passed. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** True if the deadline of a gRPC call has passed. The server may have noticed that before a timer of the proxy did. */
  get isCallOver(): boolean {
    return this.#clock.monotonic() >= this.#callEndMs;
  }

  /** Bytes have passed in one of the directions. */
  readonly touch = (): void => {
    this.#activeMs = this.#clock.monotonic();
  };

  /** The head of the response has arrived. Server-sent events come seldom. */
  answered(contentType: string | undefined): void {
    this.#headTimer?.[Symbol.dispose]();
    this.touch();
    if (contentType === undefined || !/^text\/event-stream\b/i.test(contentType)) return;
    this.#idleMs = this.#limits.longStreamIdleMs;
  }

  stop(): void {
    this.#isStopped = true;
    this.#headTimer?.[Symbol.dispose]();
    this.#idleTimer?.[Symbol.dispose]();
  }

  #limitHead(ms: number): void {
    if (!this.#isStopped) this.#headTimer = this.#clock.schedule(ms, () => this.#over.abort());
  }

  /** Checks at the earliest moment at which the limit can have passed; bytes only note their time. */
  #checkIdle(): void {
    const leftMs = this.#activeMs + this.#idleMs - this.#clock.monotonic();
    if (leftMs <= 0) this.#over.abort();
    else this.#idleTimer = this.#clock.schedule(leftMs, () => this.#checkIdle());
  }
}
