import { additionalSchema, type SchemaNode } from "../structural/node.ts";

/**
 * Converts the `fieldPath` of a rule to the form used in problems. Returns undefined if the schema has no such field.
 *
 * A `fieldPath` is relative to the node of the rule, such as `.foo.bar` or `.foo['a key']`. It cannot enter lists.
 */
export function normalizeFieldPath(path: string, node: SchemaNode): string | undefined {
  let normal = "";
  let at: SchemaNode | undefined = node;
  let rest = path;
  while (rest !== "") {
    const step = /^(?:\.([^.[\]']*[^.[\]]*)|\[('(?:[^'\\]|\\.)*')\])/s.exec(rest);
    const name = step?.[2] === undefined ? step?.[1] : unquote(step[2]);
    if (step === null || name === undefined || name === "" || at === undefined) return undefined;
    rest = rest.slice(step[0].length);
    if (at.properties.size > 0) {
      at = at.properties.get(name);
      if (at === undefined) return undefined;
      normal += normal === "" ? name : `.${name}`;
    } else if (at.additionalProperties !== undefined) {
      at = additionalSchema(at);
      normal += `[${name}]`;
    } else return undefined;
  }
  return normal;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["'", "'"],
  ["\\", "\\"],
]);

function unquote(quoted: string): string | undefined {
  let isValid = true;
  const text = quoted.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => {
    const plain = escapes.get(character);
    if (plain === undefined) isValid = false;
    return plain ?? "";
  });
  return isValid ? text : undefined;
}
