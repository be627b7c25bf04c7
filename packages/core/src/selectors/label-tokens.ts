/** A token of a label selector and its position. */
export interface LabelToken {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
  readonly offset: number;
}

/**
 * Splits a label selector into tokens. The last one always has the kind `end`.
 *
 * White space is space, tab, CR and LF. A NUL byte ends a word, and at the start of a token it ends the text, because the lexer of
 * Kubernetes uses it as its end-of-input mark.
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
