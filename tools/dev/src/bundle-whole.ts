import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { newestMs } from "./compiled.ts";
import { licenseComment, onFirstUse } from "./on-first-use.ts";
import { root } from "./tidy/tree.ts";

/** Defines `require`, which CommonJS libraries in the bundle call for Node's built-in modules. */
const banner = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** Evaluated on first use, with the names that are used. Only patterns of schemas need it, and loaded at the start it takes 1 MB. */
const patterns = { library: "re2js", names: ["RE2JS", "RE2JSException"] } as const;

/** The entry module of a program in `dist`, and the path of its bundle there. */
export interface WholeProgram {
  readonly entry: string;
  readonly bundle: string;
}

/**
 * Bundles a program with all libraries into one file, by default an operator into `dist/program.js`. An image needs only this file and Node.js.
 */
export async function bundleWhole(
  folder: string,
  program: WholeProgram = { entry: "main.js", bundle: "program.js" },
): Promise<void> {
  const entry = join(root, folder, "dist", program.entry);
  const outfile = join(root, folder, "dist", program.bundle);
  if (!existsSync(entry)) return;
  const compiled = statSync(join(root, folder, "dist", ".tsbuildinfo")).mtimeMs;
  const newest = Math.max(compiled, newestMs(["packages", "operators"]));
  if (existsSync(outfile) && statSync(outfile).mtimeMs >= newest) return;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["development"],
    plugins: [onFirstUse(patterns.library, patterns.names)],
    banner: { js: `${banner}\n${licenseComment(patterns.library)}` },
    sourcemap: true,
    legalComments: "inline",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
}
