import type { Body } from "./transport.ts";

/** Called once with the number of bytes that were read of a body. */
export interface BodyObserver {
  read(bytes: number): void;
}

/** Wraps a body to report how many bytes of it were read, once: at its end, or when it is canceled or breaks. */
export function observedBody(body: Body, observer: BodyObserver): Body {
  return new ObservedBody(body, observer);
}

class ObservedBody implements Body {
  readonly #body: Body;
  readonly #observer: BodyObserver;
  #bytes = 0;
  #isOver = false;

  constructor(body: Body, observer: BodyObserver) {
    this.#body = body;
    this.#observer = observer;
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
    this.#observer.read(this.#bytes);
  }
}
