/** A phrase that comments, messages, names and pages do not use, and what to write instead. */
export interface PhraseRule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** A phrase found in a text. */
export interface PhraseBreach {
  readonly index: number;
  readonly phrase: string;
  readonly instead: string;
}

/**
 * Phrases that hide the actor or the subject of a sentence, or that a reader of the Kubernetes documentation does not know. The
 * list is a tripwire: a text without them can still be hard to understand, so it does not replace reading.
 */
export const phraseRules: readonly PhraseRule[] = [
  { pattern: /\b(?:some|no|any)body\b/gi, instead: "name the actor: the API server, the user, another field manager" },
  { pattern: /\banew\b/gi, instead: "again" },
  { pattern: /\bthereof\b/gi, instead: "of it" },
  { pattern: /\b(?:is|are|was|be) told\b/gi, instead: "is notified, receives, is configured" },
  { pattern: /\bwhose is\b/gi, instead: "which owner" },
  { pattern: /\bcomes? to an end\b/gi, instead: "ends" },
  {
    pattern: /\/\*\*[ \n*]+(?:What|Whether|Who|How|Why|Where)\b/g,
    instead: 'start functions with a verb ("Returns", "Reports whether"), types and properties with a noun',
  },
];

/** Returns the phrases of a text that break a rule. Names in quotes, such as the user "nobody", are data and allowed. */
export function phraseBreaches(text: string): PhraseBreach[] {
  return phraseRules.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)]
      .filter(({ index, 0: phrase }) => !isQuoted(text, index, phrase.length))
      .map(({ index, 0: phrase }) => ({ index, phrase: phrase.replaceAll(/[\s*/]+/g, " ").trim(), instead })),
  );
}

/** Reports whether a single word is quoted. */
function isQuoted(text: string, index: number, length: number): boolean {
  return /["'`]/.test(text[index - 1] ?? "") && /["'`]/.test(text[index + length] ?? "");
}
