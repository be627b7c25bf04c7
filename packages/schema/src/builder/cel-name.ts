// How the name of a field is written in CEL, and in the JSON path of a rule.

const reserved = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
const accessible = /^[A-Za-z_][A-Za-z0-9._/-]*$/;

/**
 * The name of a field as CEL spells it: `x-kind` is `x__dash__kind`, `namespace` is `__namespace__`.
 *
 * `undefined` when CEL cannot name the field at all, such as `3rd` or `a b`.
 */
export function celName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!accessible.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}

/** The JSON path of a rule to a field below it: `.spec.image`, `['x-kind']` for a name that is no identifier. */
export function rulePath(names: readonly string[]): string {
  return names.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join("");
}
