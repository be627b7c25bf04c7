/** A word or symbol of a label selector text, and where it stands. */
export interface LabelToken {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
  readonly offset: number;
}

/**
 * The tokens of a label selector; the last is always the end.
 *
 * Blanks are space, tab and line ends. A NUL byte ends a word, and where a token should begin it ends the text: Kubernetes
 * uses it for "nothing more to read".
 */
export function labelTokens(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  let at = 0;
  for (;;) {
    while (isBlank(text.charAt(at))) at += 1;
    const first = text.charAt(at);
    if (first === "" || first === "\0") {
      tokens.push({ kind: "end", text: "", offset: at });
      return tokens;
    }
    const end = isSymbol(first) ? symbolEnd(text, at) : wordEnd(text, at);
    tokens.push({ kind: isSymbol(first) ? "symbol" : "word", text: text.slice(at, end), offset: at });
    at = text.charAt(end) === "\0" ? end + 1 : end;
  }
}

function symbolEnd(text: string, at: number): number {
  const pair = text.slice(at, at + 2);
  return pair === "==" || pair === "!=" ? at + 2 : at + 1;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const letter = text.charAt(at);
    if (letter === "" || letter === "\0" || isSymbol(letter) || isBlank(letter)) return at;
    at += 1;
  }
}

function isBlank(letter: string): boolean {
  return letter === " " || letter === "\t" || letter === "\r" || letter === "\n";
}

function isSymbol(letter: string): boolean {
  return letter !== "" && "=!(),<>".includes(letter);
}
