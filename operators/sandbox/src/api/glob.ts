// Globs of this API: `*` matches any text, including an empty one and slashes; `?` matches one character; `[a-z]` matches one character of a set,
// `[!a]` one outside of it.

/** A compiled glob. */
export interface Glob {
  readonly source: string;
  /** Reports whether the glob matches a whole text. The time is at most proportional to the product of both lengths. */
  matches(text: string): boolean;
}

/** The problem of a glob that does not compile. */
export interface GlobProblem {
  readonly problem: string;
}

type Token = "any" | { readonly accepts: (character: string) => boolean };

/** Compiles a glob, or returns its problem. */
export function compileGlob(source: string): Glob | GlobProblem {
  const tokens: Token[] = [];
  const characters = Array.from(source);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== "any") tokens.push("any");
    } else if (character === "?") tokens.push({ accepts: () => true });
    else if (character === "[") {
      const set = readSet(characters, at);
      if ("problem" in set) return set;
      tokens.push(set);
      at = set.end;
    } else tokens.push({ accepts: (each) => each === character });
  }
  return { source, matches: (text) => matchesTokens(tokens, Array.from(text)) };
}

/** Returns the problem of a glob; undefined if it compiles. */
export function globProblem(source: string): string | undefined {
  const glob = compileGlob(source);
  return "problem" in glob ? glob.problem : undefined;
}

/** Reports whether a text matches a glob. A glob that does not compile matches nothing. */
export function matchesGlob(source: string, text: string): boolean {
  const glob = compileGlob(source);
  return !("problem" in glob) && glob.matches(text);
}

interface CharacterSet {
  readonly accepts: (character: string) => boolean;
  /** Position of the closing bracket. */
  readonly end: number;
}

function readSet(characters: readonly string[], start: number): CharacterSet | GlobProblem {
  const isNegated = ["!", "^"].includes(characters[start + 1] ?? "");
  const first = start + (isNegated ? 2 : 1);
  const end = characters.indexOf("]", first);
  if (end < 0) return { problem: "has a [ without a ]" };
  if (end === first) return { problem: "has an empty set []" };
  const inner = characters.slice(first, end);
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < inner.length; at += 1) {
    const from = inner[at] ?? "";
    const isRange = inner[at + 1] === "-" && at + 2 < inner.length;
    const to = isRange ? (inner[at + 2] ?? "") : from;
    if (codeOf(to) < codeOf(from)) return { problem: `has the reversed range ${from}-${to}` };
    ranges.push([from, to]);
    if (isRange) at += 2;
  }
  const isIn = (character: string): boolean =>
    ranges.some(([from, to]) => codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to));
  return { end, accepts: (character) => isIn(character) !== isNegated };
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/**
 * Matches with a single backtracking position, the last `*`. Backtracking to an earlier `*` cannot help, because each matches as little as possible.
 */
function matchesTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let retry: { readonly token: number; at: number } | undefined;
  while (at < text.length) {
    const current = tokens[token];
    if (current === "any") {
      retry = { token, at };
      token += 1;
    } else if (current?.accepts(text[at] ?? "") === true) {
      token += 1;
      at += 1;
    } else if (retry !== undefined) {
      retry.at += 1;
      token = retry.token + 1;
      at = retry.at;
    } else return false;
  }
  return tokens.slice(token).every((each) => each === "any");
}
