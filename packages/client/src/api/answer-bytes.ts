const known = new WeakMap<object, Buffer>();

/** Notes what an answer was read from. */
export function noteAnswerBytes(answer: object, bytes: Buffer): void {
  known.set(answer, bytes);
}

/**
 * The JSON text that the answer to a write was read from, as bytes; undefined where it is not known.
 *
 * For those who keep objects as bytes: they need not make the text again. Valid until somebody changes the object.
 */
export function answerBytes(answer: object): Buffer | undefined {
  return known.get(answer);
}
