import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { newestMs } from "./compiled.ts";
import { licenceOf, onFirstUse } from "./on-first-use.ts";
import { root } from "./tidy/tree.ts";

/** A program that starts from the shell, where every millisecond of loading is waited for. */
export interface Program {
  /** Its folder in the repository. */
  readonly folder: string;
  /** Modules to take a package's names from, instead of its whole list: what the list leads to is loaded later, if at all. */
  readonly narrow: Readonly<Record<string, string>>;
  /** Libraries that the bundle holds, with the names that are needed of them. */
  readonly libraries: Readonly<Record<string, readonly string[]>>;
}

/**
 * Puts a program and the packages of this repository into `dist/bundle.js`, with what is imported on demand in files beside it.
 *
 * Where the bundles of packages hold all that a package has, this holds what the program uses.
 */
export async function bundleProgram({ folder, narrow, libraries }: Program): Promise<void> {
  const dist = join(root, folder, "dist");
  const bundle = join(dist, "bundle.js");
  if (!existsSync(join(dist, "main.js"))) return;
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newestMs(["packages", "operators", "apps"])) return;
  for (const name of readdirSync(dist)) if (/^bundle(?:-|\.js)/.test(name)) rmSync(join(dist, name));
  await build({
    entryPoints: { bundle: join(dist, "main.js") },
    outdir: dist,
    chunkNames: "bundle-[hash]",
    splitting: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["development"],
    alias: Object.fromEntries(Object.entries(narrow).map(([name, path]) => [name, join(root, path)])),
    plugins: [...Object.entries(libraries).map(([library, names]) => onFirstUse(library, names)), ownPackagesOnly],
    banner: {
      js: Object.keys(libraries)
        .map((library) => licenceOf(library))
        .join(""),
    },
    legalComments: "none",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
}

const ownPackagesOnly: Plugin = {
  name: "own packages only",
  setup: (step) => {
    step.onResolve({ filter: /^[a-z@]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@homeostat/") ? undefined : { path, external: true },
    );
  },
};
