import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";

/** A position in a compiled file, as node:test reports it: line and column start at 1. */
export interface CompiledPosition {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Returns the line in the TypeScript source of a position in a compiled file; undefined if there is no source map. */
export function sourcePosition({ file, line, column = 1 }: CompiledPosition): number | undefined {
  if (file === undefined || line === undefined) return undefined;
  let map: SourceMap;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  } catch {
    return undefined;
  }
  const entry = map.findEntry(line - 1, column - 1);
  return "originalLine" in entry ? entry.originalLine + 1 : undefined;
}
