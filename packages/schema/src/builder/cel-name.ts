// Field names as CEL expressions and as the `fieldPath` of rules spell them.

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
 * Returns the name of a field as CEL spells it: `x-kind` is `x__dash__kind`, `namespace` is `__namespace__`.
 *
 * Returns undefined if CEL cannot access the field, such as `3rd` or `a b`.
 */
export function celName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!accessible.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}

/** Returns the `fieldPath` of a rule: `.spec.image`, or `['x-kind']` for a name that is not an identifier. */
export function rulePath(names: readonly string[]): string {
  return names.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join("");
}
