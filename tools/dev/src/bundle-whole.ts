import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { newestMs } from "./compiled.ts";
import { root } from "./tidy/tree.ts";

/** Defines `require`, which CommonJS libraries in the bundle call for Node's built-in modules. */
const banner = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** The entry module of a program in `dist`, and the name of its bundle. */
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
  if (existsSync(outfile) && statSync(outfile).mtimeMs >= newestMs(["packages", "operators"])) return;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["development"],
    banner: { js: banner },
    sourcemap: true,
    legalComments: "inline",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
}
