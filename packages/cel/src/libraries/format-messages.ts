/** The kind of a formatting clause. */
export type ClauseKind = "string" | "decimal" | "fixed" | "scientific" | "binary" | "hex" | "octal";

const rules: Readonly<Record<ClauseKind, string>> = {
  string:
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  decimal: "decimal clause can only be used on integers",
  fixed: "fixed-point clause can only be used on doubles",
  scientific: "scientific clause can only be used on doubles",
  binary: "only integers and bools can be formatted as binary",
  hex: "only integers, byte buffers, and strings can be formatted as hex",
  octal: "octal clause can only be used on integers",
};

/** Returns the message for a value that a clause cannot format. */
export function unsupportedMessage(kind: ClauseKind, typeName: string): string {
  return `${rules[kind]}, was given ${typeName}`;
}
