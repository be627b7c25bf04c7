// The parser of the real server names mistakes in its own words, and counts lines in its own way: from zero for what it
// finds while it puts tokens together, from one for what it finds while it makes them, and it never tells of the first.

/** A mistake as our parser tells it. */
export interface YamlMistake {
  readonly code: string;
  readonly message: string;
  /** Where in the text. */
  readonly at: number;
  /** The line, from one. */
  readonly line: number;
}

interface Rule {
  readonly code: RegExp;
  readonly message?: RegExp;
  readonly words: (text: string, mistake: YamlMistake) => string;
  /** The line that is told; none below one. */
  readonly line: (text: string, mistake: YamlMistake) => number;
}

const made: Rule["line"] = (_, { line }) => (line > 1 ? line : 0);
const joined: Rule["line"] = (_, { line }) => line - 1;

const rules: readonly Rule[] = [
  {
    code: /^BLOCK_AS_IMPLICIT_KEY$/,
    message: /^Nested mappings/,
    words: () => "mapping values are not allowed in this context",
    line: (text, mistake) => {
      const colon = text.slice(mistake.at).search(/:(\s|$)/);
      const line = lineAt(text, mistake.at + Math.max(0, colon));
      return line > 1 ? line : 0;
    },
  },
  { code: /^MISSING_CHAR$/, message: /quote/, words: () => "found unexpected end of stream", line: made },
  { code: /^MISSING_CHAR$/, message: /directives/, words: () => "found unknown directive name", line: made },
  {
    code: /^MISSING_CHAR$/,
    message: /^Implicit map keys/,
    words: () => "could not find expected ':'",
    line: (_, { line }) => line + 1,
  },
  {
    code: /^(MISSING_CHAR|BAD_INDENT)$/,
    message: /^Flow /,
    words: (_, { message }) => `did not find expected ',' or '${message.includes("map") ? "}" : "]"}'`,
    // The end of the text is a line of its own.
    line: (text, { at, line }) => (at >= text.length && !text.endsWith("\n") ? line : line - 1),
  },
  { code: /^BAD_INDENT$/, words: () => "did not find expected key", line: joined },
  { code: /^BAD_SCALAR_START$/, words: () => "found character that cannot start any token", line: made },
  {
    code: /^TAB_AS_INDENT$/,
    words: (text, { at }) =>
      /[:-]\s*$/.test(text.slice(0, at))
        ? "found character that cannot start any token"
        : "found a tab character that violates indentation",
    line: made,
  },
  {
    code: /^UNEXPECTED_TOKEN$/,
    words: (text) => `did not find expected ${text.startsWith("- ") ? "'-' indicator" : "key"}`,
    line: joined,
  },
];

/** What the real server says of a mistake in a YAML text; where its words are not known, ours. */
export function yamlMistake(text: string, mistake: YamlMistake): string {
  const rule = rules.find(({ code, message }) => code.test(mistake.code) && (message?.test(mistake.message) ?? true));
  if (rule === undefined) {
    return `yaml: line ${mistake.line}: ${mistake.code.toLowerCase().replaceAll("_", " ")}`;
  }
  const line = rule.line(text, mistake);
  return `yaml: ${line < 1 ? "" : `line ${line}: `}${rule.words(text, mistake)}`;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
  return line;
}
