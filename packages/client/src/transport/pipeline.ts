import type { Measure } from "./metrics.ts";
import type { Request, Response, Transport } from "./transport.ts";

/** The stages that a request passes, from the outside in. All are optional. */
export interface Stages {
  /** Starts the measurement of a request; undefined if it is not measured. */
  readonly measure?: ((request: Request) => Measure | undefined) | undefined;
  /** Called with the final response, after all retries. */
  readonly inspect?: ((request: Request, response: Response) => void) | undefined;
  /** Returns the request to send instead, such as one with an additional header. */
  readonly transform?: ((request: Request) => Request) | undefined;
  /** Returns a promise to wait for before the request is retried; undefined if the response is final. */
  readonly retry?: ((request: Request, response: Response, attempt: number) => Promise<void> | undefined) | undefined;
  /** Returns a promise to wait for before the request is sent; undefined if it can be sent at once. */
  readonly throttle?: ((request: Request) => Promise<void> | undefined) | undefined;
  /** Called after each attempt with its status, or with undefined and the error if there was no response. */
  readonly attempted?: ((request: Request, status: number | undefined, error?: unknown) => void) | undefined;
  /** Throws if a request must not be sent. Returns the request to send, which repeats the check just before it is written. */
  readonly guard?: ((request: Request) => Request) | undefined;
}

/**
 * A transport that passes requests through all stages in one async function.
 *
 *     measure ▶ transform ▶ ┌▶ throttle ▶ guard ▶ send ▶ attempted ▶ retry? ┐ ▶ inspect ▶ response
 *                           └──────────────── wait, next attempt ◀──────────┘
 *
 * The order is part of the contract. The throttle is inside the loop of retries: retries after an overload are what a rate limit is for.
 * The guard comes after every wait, because leadership can be lost while a request waits for its turn. The measurement is outside of
 * everything: its duration is the one that the caller waited, with throttling and retries, while `attempted` sees each attempt.
 *
 * With a separate transport per stage, every request would cost one nested async function per stage.
 */
export class Pipeline implements Transport {
  readonly #next: Transport;
  readonly #stages: Stages;

  constructor(next: Transport, stages: Stages) {
    this.#next = next;
    this.#stages = stages;
  }

  async send(request: Request): Promise<Response> {
    const { measure, inspect, transform, retry, throttle, attempted, guard } = this.#stages;
    const measured = measure?.(request);
    try {
      const sent = transform === undefined ? request : transform(request);
      for (let attempt = 0; ; attempt += 1) {
        const permission = throttle?.(sent);
        if (permission !== undefined) await permission;
        let response: Response;
        try {
          response = await this.#next.send(guard === undefined ? sent : guard(sent));
        } catch (error) {
          attempted?.(request, undefined, error);
          throw error;
        }
        attempted?.(request, response.status);
        const wait = retry?.(sent, response, attempt);
        if (wait === undefined) {
          inspect?.(request, response);
          return measured === undefined ? response : measured.responded(response);
        }
        await wait;
      }
    } catch (error) {
      measured?.finish();
      throw error;
    }
  }
}
