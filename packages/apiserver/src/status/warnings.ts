import { codePointLength } from "@homeostat/core";

/** Total number of characters above which warnings are truncated. */
const totalMax = 4096;
/** Maximum length of each warning once they are truncated. */
const itemMax = 256;

/**
 * Collects the warnings of one response without duplicates and formats them as `Warning` headers, with the limits of
 * kube-apiserver.
 */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Adds a warning. Drops one that is empty or has control characters, because it cannot be sent. */
  add(text: string): void {
    if (text !== "" && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  addAll(texts: readonly string[]): void {
    for (const text of texts) this.add(text);
  }

  /** Returns the header values: `299 - "unknown field \"spec.foo\""`. */
  headers(): string[] {
    const texts = [...this.#texts];
    const total = texts.reduce((sum, text) => sum + codePointLength(text), 0);
    if (total <= totalMax) return texts.map(headerOf);
    const headers: string[] = [];
    let written = 0;
    for (const text of texts) {
      if (written >= totalMax) break;
      const cut = Array.from(text).slice(0, itemMax);
      written += cut.length;
      headers.push(headerOf(cut.join("")));
    }
    return headers;
  }
}

function headerOf(text: string): string {
  return `299 - "${text.replace(/["\\]/g, "\\$&")}"`;
}
