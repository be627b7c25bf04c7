/** What a doc comment says of a type or a field. */
export interface Description {
  /** One or two sentences; empty when there is nothing to say. */
  readonly text: string;
  /** Why not to use it, or `undefined` when that is fine. */
  readonly deprecated: string | undefined;
}

/** Begins the list of values at the end of an enum's description. */
const enumHeading = "Possible enum values:";
const lengthMax = 320;
/** A first sentence shorter than this brings the second along. */
const terse = 70;

/** Shortens a description of the API to its first sentence, or two when the first says little. */
export function shorten(description: string | undefined): Description {
  const [prose = ""] = (description ?? "").split(enumHeading);
  const paragraphs = prose
    .split(/\n\s*\n/)
    .map(oneLine)
    .filter((paragraph) => paragraph !== "");
  const [first = "", second = ""] = splitSentences(paragraphs[0] ?? "").filter((sentence) => !isAside(sentence));
  const both = `${first} ${second}`.trim();
  // A sentence that ends in a colon has its point in what is left out.
  const takesBoth = first.length < terse && both.length <= lengthMax && !second.endsWith(":");
  const text = takesBoth ? both : first;
  return { text: clip(text), deprecated: deprecation(paragraphs.flatMap(splitSentences)) };
}

/** The documented values of an enum: `Possible enum values:` is followed by a line for each. */
export function enumValues(description: string | undefined): ReadonlyMap<string, string> {
  const [, list = ""] = (description ?? "").split(enumHeading);
  const values = new Map<string, string>();
  for (const match of list.matchAll(/^ - `"([^"]*)"`(.*)$/gm)) {
    values.set(match[1] ?? "", clip(splitSentences(oneLine(match[2] ?? ""))[0] ?? ""));
  }
  return values;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Splits at a full stop before a capital, except after the usual abbreviations. */
function splitSentences(text: string): string[] {
  return text.split(/(?<=[^.][.!?]["'`)]?)(?<!\b(?:e\.g|i\.e|etc|vs|a\.k\.a|E\.g|I\.e)\.)\s+(?=[A-Z"'`([<])/);
}

function clip(text: string): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, text.lastIndexOf(" ", lengthMax))} …`;
}

/** A sentence that has a place of its own, or none, in a doc comment. */
function isAside(sentence: string): boolean {
  return /^(?:More info|See also)\b|^https?:/i.test(sentence) || saysDeprecated(sentence);
}

/** The sentence that says of the thing itself, not of something else it mentions, that it is deprecated. */
function deprecation(sentences: readonly string[]): string | undefined {
  const found = sentences.find(saysDeprecated);
  return found === undefined ? undefined : clip(found.replace(/^deprecated: /i, ""));
}

function saysDeprecated(sentence: string): boolean {
  return /^Deprecated\b|\bDEPRECATED\b|\bThis (?:field|API) is deprecated\b|\bis the deprecated field\b/.test(sentence);
}
