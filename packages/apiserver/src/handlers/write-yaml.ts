import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";
import { yamlLibrary } from "../codec/yaml-library.ts";

const ordered = new Set(["tag:yaml.org,2002:omap", "tag:yaml.org,2002:set"]);

/** Returns a value as YAML in the style of kube-apiserver (sigs.k8s.io/yaml): sorted keys, lists not indented, no line folding. */
export function writeYaml(value: unknown): string {
  const yaml = yamlLibrary();
  const text = yaml.stringify(inOrder(value), {
    version: "1.1",
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "PLAIN",
    defaultKeyType: "PLAIN",
    // A Map keeps the sorted key order. Without this filter the library would tag it as `!!omap`, which readers take for another type.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !ordered.has(tag.tag)),
  });
  // Go writes the key "." of managed fields without quotes.
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
