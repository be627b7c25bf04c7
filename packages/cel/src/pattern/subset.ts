import { charsOf, charSet, complement, perlClasses, type CharSet } from "./char-set.ts";

/** A pattern of the subset that has the same meaning in RE2 and in JavaScript. */
export type PatternNode =
  | { readonly kind: "chars"; readonly set: CharSet }
  | { readonly kind: "begin" }
  | { readonly kind: "end" }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number };

/**
 * Parses a pattern that RE2 accepts if it uses only literals, classes, groups, alternatives, repetitions, `^` and `$`.
 *
 * Returns undefined for everything else: flags, Unicode classes, word boundaries, `\Q...\E`.
 */
export function parseSubset(source: string): PatternNode | undefined {
  const parser = new SubsetParser(source);
  const node = parser.choice(0);
  return node !== undefined && parser.atEnd() ? node : undefined;
}

const depthMax = 50;
const named: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);
const repetition = /\{([0-9]{1,4})(,?)([0-9]{0,4})\}/y;
const groupName = /\?P?<[A-Za-z0-9_]+>/y;
const hexEscape = /x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/y;
const posixClass = /\[:/y;

class SubsetParser {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  atEnd(): boolean {
    return this.at === this.source.length;
  }

  choice(depth: number): PatternNode | undefined {
    if (depth > depthMax) return undefined;
    const options: PatternNode[] = [];
    do {
      const option = this.sequence(depth);
      if (option === undefined) return undefined;
      options.push(option);
    } while (this.take("|"));
    const [only] = options;
    return options.length === 1 ? only : { kind: "choice", options };
  }

  private sequence(depth: number): PatternNode | undefined {
    const parts: PatternNode[] = [];
    while (!this.atEnd() && this.peek() !== "|" && this.peek() !== ")") {
      const part = this.atom(depth);
      const repeated = part && this.repeated(part);
      if (repeated === undefined) return undefined;
      parts.push(repeated);
    }
    return { kind: "sequence", parts };
  }

  private atom(depth: number): PatternNode | undefined {
    const character = this.next();
    switch (character) {
      case "^":
        return { kind: "begin" };
      case "$":
        return { kind: "end" };
      case ".":
        return { kind: "chars", set: complement(charsOf("\n")) };
      case "(": {
        // Captures do not affect whether a pattern matches.
        if (this.peek() === "?" && !this.take("?:") && this.match(groupName) === undefined) return undefined;
        const inner = this.choice(depth + 1);
        return this.take(")") ? inner : undefined;
      }
      case "[": {
        const set = this.bracket();
        return set && { kind: "chars", set };
      }
      case "\\":
        if (this.take("A")) return { kind: "begin" };
        if (this.take("z")) return { kind: "end" };
        return this.escape();
      case "*":
      case "+":
      case "?":
        return undefined;
      default:
        // A brace that does not start a repetition is a literal. Leave such patterns to RE2.
        return character === "{" ? undefined : { kind: "chars", set: charsOf(character) };
    }
  }

  private repeated(part: PatternNode): PatternNode | undefined {
    const bounds = this.bounds();
    if (bounds === undefined) return part;
    // Greediness affects what is matched, not whether the pattern matches.
    this.take("?");
    if (isRepetitionSign(this.peek()) || part.kind === "begin" || part.kind === "end") return undefined;
    return { kind: "repeat", part, ...bounds };
  }

  private bounds(): { min: number; max: number } | undefined {
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.take("+")) return { min: 1, max: Infinity };
    if (this.take("?")) return { min: 0, max: 1 };
    const found = this.peek() === "{" ? this.match(repetition) : undefined;
    if (found === undefined) return undefined;
    const [, low = "", comma = "", high = ""] = found;
    return { min: Number(low), max: high !== "" ? Number(high) : comma === "" ? Number(low) : Infinity };
  }

  private escape(): PatternNode | undefined {
    const set = this.escapedClass() ?? this.escapedChar();
    return set && { kind: "chars", set };
  }

  private escapedClass(): CharSet | undefined {
    const set = perlClasses().get(this.peek());
    if (set !== undefined) this.at += 1;
    return set;
  }

  private escapedChar(): CharSet | undefined {
    const hex = this.match(hexEscape);
    if (hex !== undefined) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
      return [[code, code]];
    }
    const character = this.next();
    const code = named.get(character) ?? (/^[!-/:-@[-`{-~]$/.test(character) ? character.charCodeAt(0) : undefined);
    return code === undefined ? undefined : [[code, code]];
  }

  /** Parses the rest of a class in brackets. */
  private bracket(): CharSet | undefined {
    const negated = this.take("^");
    const ranges: (readonly [number, number])[] = [];
    for (let first = true; first || this.peek() !== "]"; first = false) {
      if (this.atEnd() || this.match(posixClass) !== undefined) return undefined;
      const escaped = this.take("\\");
      const group = escaped ? this.escapedClass() : undefined;
      if (group !== undefined) {
        ranges.push(...group);
        continue;
      }
      const low = this.bracketChar(escaped);
      if (low === undefined) return undefined;
      const isRange = this.peek() === "-" && this.source.charAt(this.at + 1) !== "]";
      if (isRange) this.at += 1;
      const high = isRange ? this.bracketChar(this.take("\\")) : low;
      if (high === undefined || high < low) return undefined;
      ranges.push([low, high]);
    }
    this.at += 1;
    const set = charSet(ranges);
    return negated ? complement(set) : set;
  }

  private bracketChar(escaped: boolean): number | undefined {
    if (escaped) return this.escapedChar()?.[0]?.[0];
    return this.next().codePointAt(0);
  }

  private peek(): string {
    return this.source.charAt(this.at);
  }

  private next(): string {
    const character = String.fromCodePoint(this.source.codePointAt(this.at) ?? 0);
    this.at = Math.min(this.at + character.length, this.source.length);
    return character;
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.source) ?? undefined;
    this.at += found?.[0].length ?? 0;
    return found;
  }
}

function isRepetitionSign(character: string): boolean {
  return character !== "" && "*+?{".includes(character);
}
