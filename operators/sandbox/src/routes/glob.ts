// Globs over label values: `*` for any text, `?` for one character, `[abc]`, `[a-z]`, `[!a-z]` and `[^a-z]` for one of a set.
// A `[` without a closing `]` is an ordinary character.

/** A test of one character. */
type CharacterTest = (character: string) => boolean;

/** One piece of a glob: any text, or one character. */
type Piece = "any-text" | CharacterTest;

/**
 * Returns a test for texts that match a glob as a whole.
 *
 * The test takes time proportional to the length of the text times the length of the glob at most, whatever the glob: a pattern
 * such as `*a*a*a*b` makes a backtracking regular expression slow, and users write these patterns.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  const pieces = parse(glob);
  return (text) => matchPieces(pieces, text);
}

function parse(glob: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < glob.length;) {
    const character = glob.charAt(at);
    const set = character === "[" ? parseSet(glob, at) : undefined;
    if (set !== undefined) {
      pieces.push(set.test);
      at = set.end;
      continue;
    }
    if (character === "*") {
      if (pieces.at(-1) !== "any-text") pieces.push("any-text");
    } else if (character === "?") pieces.push(() => true);
    else pieces.push((other) => other === character);
    at += 1;
  }
  return pieces;
}

/** Parses the set that starts at `start`. The first character of a set is a member even if it is `]`, as in POSIX. */
function parseSet(glob: string, start: number): { test: CharacterTest; end: number } | undefined {
  const isNegated = glob[start + 1] === "!" || glob[start + 1] === "^";
  const first = start + (isNegated ? 2 : 1);
  const close = glob.indexOf("]", first + 1);
  if (close < 0) return undefined;
  const ranges: { low: string; high: string }[] = [];
  for (let at = first; at < close;) {
    const low = glob.charAt(at);
    const isRange = glob[at + 1] === "-" && at + 2 < close;
    ranges.push({ low, high: isRange ? glob.charAt(at + 2) : low });
    at += isRange ? 3 : 1;
  }
  const isMember = (character: string): boolean =>
    ranges.some(({ low, high }) => low <= character && character <= high);
  return { test: (character) => isMember(character) !== isNegated, end: close + 1 };
}

/** Matches greedily. After a mismatch, only the last `*` takes one character more: an earlier `*` can never do better. */
function matchPieces(pieces: readonly Piece[], text: string): boolean {
  let piece = 0;
  let at = 0;
  let lastStar = -1;
  let lastStarAt = 0;
  while (at < text.length) {
    const current = pieces[piece];
    if (current === "any-text") {
      lastStar = piece;
      lastStarAt = at;
      piece += 1;
    } else if (current?.(text.charAt(at)) === true) {
      piece += 1;
      at += 1;
    } else if (lastStar >= 0) {
      lastStarAt += 1;
      at = lastStarAt;
      piece = lastStar + 1;
    } else return false;
  }
  while (pieces[piece] === "any-text") piece += 1;
  return piece === pieces.length;
}
