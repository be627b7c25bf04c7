import type { Body } from "./transport.ts";

/** A body that tells, once, how many bytes were read of it: at its end, or when it is given up or breaks. */
export function observedBody(body: Body, onEnd: (bytes: number) => void): Body {
  let bytes = 0;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd(bytes);
  };
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await pieces.next();
            if (result.done === true) end();
            else bytes += result.value.length;
            return result;
          } catch (error) {
            end();
            throw error;
          }
        },
        async return() {
          end();
          await pieces.return?.();
          return { done: true, value: undefined };
        },
      };
    },
    cancel() {
      end();
      body.cancel();
    },
    takeWhole() {
      const whole = body.takeWhole?.();
      if (whole === undefined) return undefined;
      bytes = whole.length;
      end();
      return whole;
    },
  };
}
