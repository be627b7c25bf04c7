import type { Body } from "./transport.ts";

/** A body that tells, once, how many bytes were read of it: at its end, or when it is given up or breaks. */
export function observedBody(body: Body, onEnd: (bytes: number) => void): Body {
  return new ObservedBody(body, onEnd);
}

class ObservedBody implements Body {
  readonly #body: Body;
  readonly #onEnd: (bytes: number) => void;
  #bytes = 0;
  #isOver = false;

  constructor(body: Body, onEnd: (bytes: number) => void) {
    this.#body = body;
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const pieces = this.#body[Symbol.asyncIterator]();
    return {
      next: async () => {
        try {
          const result = await pieces.next();
          if (result.done === true) this.#end();
          else this.#bytes += result.value.length;
          return result;
        } catch (error) {
          this.#end();
          throw error;
        }
      },
      return: async () => {
        this.#end();
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  cancel(): void {
    this.#end();
    this.#body.cancel();
  }

  takeWhole(): Uint8Array | undefined {
    const whole = this.#body.takeWhole?.();
    if (whole === undefined) return undefined;
    this.#bytes = whole.length;
    this.#end();
    return whole;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this.#bytes);
  }
}
