import type { Measure } from "./metrics.ts";
import type { Request, Response, Transport } from "./transport.ts";

/** The concerns that requests pass through, from the outside in. Each does nothing when it is not there. */
export interface Stages {
  /** Begins to measure a request; undefined when it is not measured. */
  readonly measure?: ((request: Request) => Measure | undefined) | undefined;
  /** Looks at an answer that will be handed on. */
  readonly look?: ((request: Request, response: Response) => void) | undefined;
  /** Says what is sent in place of a request. */
  readonly mark?: ((request: Request) => Request) | undefined;
  /** Waits before the request is sent once more; undefined when the answer is final. */
  readonly again?: ((request: Request, response: Response, attempt: number) => Promise<void> | undefined) | undefined;
  /** Waits until a request may leave; undefined when it may at once. */
  readonly admit?: ((request: Request) => Promise<void> | undefined) | undefined;
  /** Told of each attempt: its status, or undefined and the error when there was no response. */
  readonly attempted?: ((request: Request, status: number | undefined, error?: unknown) => void) | undefined;
  /** Throws when a request may not be sent, and says what is sent in its place. */
  readonly guard?: ((request: Request) => Request) | undefined;
}

/**
 * Passes requests through all stages in one function.
 *
 * Each stage could be a transport around the next, and was: then every request waits in as many functions, one inside the other.
 */
export class Pipeline implements Transport {
  readonly #next: Transport;
  readonly #stages: Stages;

  constructor(next: Transport, stages: Stages) {
    this.#next = next;
    this.#stages = stages;
  }

  async send(request: Request): Promise<Response> {
    const { measure, look, mark, again, admit, attempted, guard } = this.#stages;
    const measured = measure?.(request);
    try {
      const marked = mark === undefined ? request : mark(request);
      for (let attempt = 0; ; attempt += 1) {
        const admission = admit?.(marked);
        if (admission !== undefined) await admission;
        let response: Response;
        try {
          response = await this.#next.send(guard === undefined ? marked : guard(marked));
        } catch (error) {
          attempted?.(request, undefined, error);
          throw error;
        }
        attempted?.(request, response.status);
        const wait = again?.(marked, response, attempt);
        if (wait === undefined) {
          look?.(request, response);
          return measured === undefined ? response : measured.answered(response);
        }
        await wait;
      }
    } catch (error) {
      measured?.finish();
      throw error;
    }
  }
}
