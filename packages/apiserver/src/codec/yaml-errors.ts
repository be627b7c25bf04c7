// Translates YAML syntax errors to the messages of the real server. Its parser counts lines from zero for errors of the
// parser and from one for errors of the scanner, and never names the first line.

/** A syntax error from the YAML library. */
export interface YamlSyntaxError {
  readonly code: string;
  readonly message: string;
  /** Offset in the text. */
  readonly at: number;
  /** Line number, starting at one. */
  readonly line: number;
}

interface Rule {
  readonly code: RegExp;
  readonly message?: RegExp;
  readonly words: (text: string, error: YamlSyntaxError) => string;
  /** Line number for the message; omitted if it is less than one. */
  readonly line: (text: string, error: YamlSyntaxError) => number;
}

const scannerLine: Rule["line"] = (_, { line }) => (line > 1 ? line : 0);
const parserLine: Rule["line"] = (_, { line }) => line - 1;

const rules: readonly Rule[] = [
  {
    code: /^BLOCK_AS_IMPLICIT_KEY$/,
    message: /^Nested mappings/,
    words: () => "mapping values are not allowed in this context",
    line: (text, error) => {
      const colon = text.slice(error.at).search(/:(\s|$)/);
      const line = lineAt(text, error.at + Math.max(0, colon));
      return line > 1 ? line : 0;
    },
  },
  { code: /^MISSING_CHAR$/, message: /quote/, words: () => "found unexpected end of stream", line: scannerLine },
  { code: /^MISSING_CHAR$/, message: /directives/, words: () => "found unknown directive name", line: scannerLine },
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
    // The end of the text counts as a line of its own.
    line: (text, { at, line }) => (at >= text.length && !text.endsWith("\n") ? line : line - 1),
  },
  { code: /^BAD_INDENT$/, words: () => "did not find expected key", line: parserLine },
  { code: /^BAD_SCALAR_START$/, words: () => "found character that cannot start any token", line: scannerLine },
  {
    code: /^TAB_AS_INDENT$/,
    words: (text, { at }) =>
      /[:-]\s*$/.test(text.slice(0, at))
        ? "found character that cannot start any token"
        : "found a tab character that violates indentation",
    line: scannerLine,
  },
  {
    code: /^UNEXPECTED_TOKEN$/,
    words: (text) => `did not find expected ${text.startsWith("- ") ? "'-' indicator" : "key"}`,
    line: parserLine,
  },
];

/** Returns the message of the real server for a syntax error, or our own if it is unknown. */
export function yamlErrorText(text: string, error: YamlSyntaxError): string {
  const rule = rules.find(({ code, message }) => code.test(error.code) && (message?.test(error.message) ?? true));
  if (rule === undefined) {
    return `yaml: line ${error.line}: ${error.code.toLowerCase().replaceAll("_", " ")}`;
  }
  const line = rule.line(text, error);
  return `yaml: ${line < 1 ? "" : `line ${line}: `}${rule.words(text, error)}`;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
  return line;
}
