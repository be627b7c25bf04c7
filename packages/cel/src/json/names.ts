/** Reserved words, which cannot be identifiers. */
const reservedWords: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/**
 * Returns the identifier with which expressions access a JSON property; undefined if they cannot access it.
 *
 * `foo-bar` becomes `foo__dash__bar` and `namespace` becomes `__namespace__`.
 */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => escapes.get(part) ?? part);
}

const unescapes: ReadonlyMap<string, string> = new Map([...escapes].map(([plain, escaped]) => [escaped, plain]));

/** Returns the JSON property of an identifier; undefined if it contains an invalid escape. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes("__")) return identifier;
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (part) => {
    const plain = unescapes.get(part);
    if (plain !== undefined) return plain;
    const word = part.slice(2, -2);
    if (!reservedWords.has(word) || part.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
