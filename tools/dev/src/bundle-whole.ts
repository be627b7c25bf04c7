import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
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
  /**
   * Modules that replace a package's index, by package name. With this, modules of our packages of which the program uses nothing are left out; the index
   * of a package that is imported dynamically would keep all of them.
   */
  readonly narrow?: Readonly<Record<string, string>> | undefined;
}

/** Marks requests of {@link unusedModules} to esbuild itself. */
const resolvedByEsbuild = {};

/**
 * Leaves out modules of our packages of which nothing is used. Without it, a program that imports the logger of a package loads all of its modules: no
 * package of this repository imports a module for its side effects, but esbuild does not know that.
 */
const unusedModules: Plugin = {
  name: "unused modules",
  setup: (step) => {
    step.onResolve({ filter: /^(?:@homeostat\/|\.\.?\/)/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === resolvedByEsbuild) return undefined;
      const found = await step.resolve(path, { ...from, pluginData: resolvedByEsbuild });
      const isOwn = found.path.startsWith(join(root, "packages"));
      return isOwn ? { path: found.path, sideEffects: false } : undefined;
    });
  },
};

/**
 * Bundles a program with all libraries into one file, by default an operator into `dist/program.js`. An image needs only this file and Node.js.
 */
export async function bundleWhole(
  folder: string,
  { entry: module = "main.js", bundle = "program.js", narrow }: Partial<WholeProgram> = {},
): Promise<void> {
  const entry = join(root, folder, "dist", module);
  const outfile = join(root, folder, "dist", bundle);
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
    plugins: [onFirstUse(patterns.library, patterns.names), ...(narrow === undefined ? [] : [unusedModules])],
    alias: Object.fromEntries(Object.entries(narrow ?? {}).map(([name, path]) => [name, join(root, path)])),
    banner: { js: `${banner}\n${licenseComment(patterns.library)}` },
    sourcemap: true,
    legalComments: "inline",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
}
