import { codePointLength } from "@homeostat/core";

/** Past so many characters in all, warnings are cut. */
const totalMax = 4096;
/** How long a warning may be once they are cut. */
const itemMax = 256;

/** Collects the warnings of one answer, each once, and prints them as `Warning` headers. */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Adds a warning; an empty one, or one with control characters, cannot be sent and is dropped. */
  add(text: string): void {
    if (text !== "" && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  addAll(texts: readonly string[]): void {
    for (const text of texts) this.add(text);
  }

  /** The values of the headers: `299 - "unknown field \"spec.foo\""`. */
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
