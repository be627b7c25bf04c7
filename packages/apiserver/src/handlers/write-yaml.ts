import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

const load = createRequire(import.meta.url);

/** A value as YAML as the real server writes it: keys in order, lists not indented, no line broken. */
export function writeYaml(value: unknown): string {
  const yaml: typeof Yaml = load("yaml");
  return yaml.stringify(inOrder(value), {
    version: "1.1",
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "PLAIN",
    defaultKeyType: "PLAIN",
  });
}

function inOrder(value: unknown): unknown {
  if (isList(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(compareBytes);
  return new Map(keys.map((key) => [key, inOrder(value[key])]));
}
