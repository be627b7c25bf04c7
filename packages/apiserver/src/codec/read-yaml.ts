import type * as Yaml from "yaml";
import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { DecodeError } from "./decode-error.ts";
import { jsonDepthMax } from "./json-reader.ts";
import { readJson } from "./read-value.ts";
import { yamlLibrary } from "./yaml-library.ts";
import { yamlErrorText } from "./yaml-errors.ts";

/** A parsed YAML text. */
export interface ReadYaml {
  readonly value: unknown;
  /** Errors for duplicate keys: `line 3: key "a" already set in map`. The last value wins. */
  readonly duplicates: readonly string[];
}

/**
 * Longer texts are refused, because parsing them would block the event loop too long. JSON, a subset of YAML, is
 * exempt.
 */
export const yamlLengthMax: number = 1024 * 1024;

/**
 * Parses YAML as a Kubernetes API server does: version 1.1 (`yes` is true, `0755` is 493), but dates stay strings.
 *
 * @throws DecodeError; for common mistakes, in the words of the API server.
 */
export function readYaml(text: string): ReadYaml {
  if (/^\s*\{/.test(text)) {
    try {
      const { value, duplicates } = readJson(text);
      return { value, duplicates: duplicates.map(asYamlDuplicate) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      // Not JSON, but it may be a YAML flow mapping.
    }
  }
  if (text.length > yamlLengthMax)
    throw new DecodeError(`yaml: document is longer than the limit of ${yamlLengthMax} characters`);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DecodeError("yaml: exceeded max depth", { cause: error });
  }
}

function asYamlDuplicate(problem: string): string {
  const path = /"(.*)"$/.exec(problem)?.[1] ?? "";
  return `line 1: key "${path.slice(path.lastIndexOf(".") + 1)}" already set in map`;
}

function parse(text: string): ReadYaml {
  const yaml = yamlLibrary();
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    version: "1.1",
    // Without the timestamp tag: Kubernetes reads dates as strings.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp"),
    intAsBigInt: true,
    logLevel: "silent",
    uniqueKeys: false,
    lineCounter: lines,
    merge: true,
  });
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    const line = syntaxError.linePos?.[0].line ?? 1;
    const { code, message, pos } = syntaxError;
    throw new DecodeError(yamlErrorText(text, { code, message, at: pos[0], line }));
  }
  const duplicates: string[] = [];
  yaml.visit(document, {
    Map: (_key, node) => {
      const seen = new Set<string>();
      for (const pair of node.items) {
        const name = yaml.isScalar(pair.key) ? String(pair.key.value) : undefined;
        if (name === undefined) continue;
        if (seen.has(name)) {
          const at = yaml.isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
          duplicates.push(`line ${lines.linePos(at).line}: key ${quote(name)} already set in map`);
        }
        seen.add(name);
      }
    },
  });
  return { value: toJson(valueOf(document), 0), duplicates };
}

/** Resolves aliases and merge keys. The parser reports problems with them as plain errors. */
function valueOf(document: Yaml.Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100, mapAsMap: true });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const anchor = /anchor must be set before the alias\): (.*)$/s.exec(error.message)?.[1];
    const isBomb = error.message.startsWith("Excessive alias count");
    const problem = isBomb ? "document contains excessive aliasing" : error.message.toLowerCase();
    throw new DecodeError(anchor === undefined ? `yaml: ${problem}` : `yaml: unknown anchor '${anchor}' referenced`, {
      cause: error,
    });
  }
}

/** Converts a parser value to JSON: integers that a `number` can represent are numbers, keys are strings. */
function toJson(value: unknown, depth: number): unknown {
  if (depth > jsonDepthMax) throw new DecodeError("yaml: exceeded max depth");
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (isList(value)) return value.map((each) => toJson(each, depth + 1));
  const record: JsonRecord = {};
  if (value instanceof Map) {
    for (const [key, each] of value) safeSet(record, String(key), toJson(each, depth + 1));
    return record;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (!isRecord(value)) return value ?? null;
  for (const key of Object.keys(value)) safeSet(record, key, toJson(value[key], depth + 1));
  return record;
}
