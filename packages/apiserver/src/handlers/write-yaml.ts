import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";
import { yamlLibrary } from "../codec/yaml-library.ts";

const ordered = new Set(["tag:yaml.org,2002:omap", "tag:yaml.org,2002:set"]);

/** A value as YAML as the real server writes it: keys in order, lists not indented, no line broken. */
export function writeYaml(value: unknown): string {
  const yaml = yamlLibrary();
  const text = yaml.stringify(inOrder(value), {
    version: "1.1",
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "PLAIN",
    defaultKeyType: "PLAIN",
    // A map whose keys have an order is a plain one to whoever reads it.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !ordered.has(tag.tag)),
  });
  // The dot alone, which managed fields are full of, needs no quotes there.
  return text.replace(/^( *(?:- )?)"\.":/gm, "$1.:");
}

function inOrder(value: unknown): unknown {
  if (isList(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(compareBytes);
  return new Map(keys.map((key) => [key, inOrder(value[key])]));
}
