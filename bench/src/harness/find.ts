import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BenchCase, isBenchCases } from "./case.ts";

/** A case and the file it comes from, named after the package it measures: `core/equality`. */
export interface FoundCase {
  readonly file: string;
  readonly benchCase: BenchCase;
}

const source = new URL("../../src/", import.meta.url);

/**
 * Returns the cases of all `*.bench.ts` files in `src`, sorted by file.
 *
 * Lists the sources and loads their builds, so that a deleted file is not run from an old build.
 */
export async function findCases(): Promise<readonly FoundCase[]> {
  const files = readdirSync(fileURLToPath(source), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".bench.ts"))
    .map((path) => path.replaceAll("\\", "/").slice(0, -".bench.ts".length))
    .sort();
  const found: FoundCase[] = [];
  for (const file of files) {
    const module: { cases?: unknown } = await import(new URL(`../${file}.bench.js`, import.meta.url).href);
    if (!isBenchCases(module.cases)) {
      throw new Error(`bench/src/${file}.bench.ts must export \`cases\`, a list as bench/README.md describes.`);
    }
    for (const benchCase of module.cases) found.push({ file, benchCase });
  }
  return found;
}
