/** Content of the doc comment of a type or field. */
export interface Description {
  /** One or two sentences; empty without a description. */
  readonly text: string;
  /** Deprecation notice; undefined if not deprecated. */
  readonly deprecated: string | undefined;
}

/** Heading of the list of values at the end of an enum's description. */
const enumHeading = "Possible enum values:";
const lengthMax = 320;
/** The second sentence is added if the first is shorter than this. */
const terse = 70;

/** Shortens a description of the API to its first sentence, or two when the first is terse. */
export function shorten(description: string | undefined): Description {
  const [prose = ""] = (description ?? "").split(enumHeading);
  const paragraphs = prose
    .split(/\n\s*\n/)
    .map(oneLine)
    .filter((paragraph) => paragraph !== "");
  const [first = "", second = ""] = splitSentences(paragraphs[0] ?? "").filter((sentence) => !isAside(sentence));
  const both = `${first} ${second}`.trim();
  // A sentence that ends with a colon introduces text that is dropped.
  const takesBoth = first.length < terse && both.length <= lengthMax && !second.endsWith(":");
  const text = takesBoth ? both : first;
  return { text: clip(text), deprecated: deprecation(paragraphs.flatMap(splitSentences)) };
}

/** Returns the documented values of an enum: the lines after `Possible enum values:`. */
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

/** Reports whether a sentence is handled separately or dropped from the doc comment. */
function isAside(sentence: string): boolean {
  return /^(?:More info|See also)\b|^https?:/i.test(sentence) || saysDeprecated(sentence);
}

/** Returns the sentence that deprecates the type or field itself, not something else it mentions. */
function deprecation(sentences: readonly string[]): string | undefined {
  const found = sentences.find(saysDeprecated);
  return found === undefined ? undefined : clip(found.replace(/^deprecated: /i, ""));
}

function saysDeprecated(sentence: string): boolean {
  return /^Deprecated\b|\bDEPRECATED\b|\bThis (?:field|API) is deprecated\b|\bis the deprecated field\b/.test(sentence);
}
