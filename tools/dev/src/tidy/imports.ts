import { lineAt } from "./tree.ts";

/** One `import` or `export … from`, static or dynamic. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** True for `import type` and `export type`, which are erased at run time. */
  readonly isType: boolean;
}

const pattern =
  /(?:^|[\n;}])\s*(?:import|export)\s[^"'`;]*?from\s*["']([^"']+)["']|(?:^|\n)\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

/** Returns the imports of a source file. */
export function importsOf(text: string): Import[] {
  return [...text.matchAll(pattern)].map((match) => ({
    specifier: match[1] ?? match[2] ?? match[3] ?? "",
    line: lineAt(text, match.index + match[0].length),
    isType: /^[\s;}]*(?:import|export)\s+type\b/.test(match[0]),
  }));
}

/** Returns the package folder that an import points to: `@homeostat/kubernetes/batch/v1` is in `kubernetes`. */
export function ownPackageOf(specifier: string): string | undefined {
  return specifier === "homeostat" ? specifier : /^@homeostat\/([^/]+)/.exec(specifier)?.[1];
}

/** Returns the npm package of an import; undefined for a relative path or a built-in module of Node. */
export function npmPackageOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1];
}
