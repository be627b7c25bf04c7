import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { newestMs } from "./compiled.ts";
import { licenseComment, onFirstUse } from "./on-first-use.ts";
import { root } from "./tidy/tree.ts";

/** A command-line program, for which load time matters. */
export interface Program {
  /** Path of its folder from the root of the repository. */
  readonly folder: string;
  /** Modules in `dist` that are bundled, by the name of the bundle. They share chunks. */
  readonly entries: Readonly<Record<string, string>>;
  /** Folders that are copied into `dist`, from the root of the repository, with their names in `dist`. */
  readonly copied: Readonly<Record<string, string>>;
  /** Modules that replace a package's index, by package name, so that only the needed part of the package is loaded at start. */
  readonly narrow: Readonly<Record<string, string>>;
  /** Libraries included in the bundle, with the names that are used. */
  readonly libraries: Readonly<Record<string, readonly string[]>>;
}

/**
 * Bundles a program with the packages of this repository into files `dist/bundle*.js`; dynamic imports become separate chunks.
 *
 * Unlike the bundle of a package, which holds the whole package, this one holds only what the program uses.
 */
export async function bundleProgram({ folder, entries, copied, narrow, libraries }: Program): Promise<void> {
  const dist = join(root, folder, "dist");
  const bundle = join(dist, "bundle.js");
  if (!existsSync(join(dist, "main.js"))) return;
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newestMs(["packages", "operators", "apps"])) return;
  for (const name of readdirSync(dist)) if (/^bundle(?:-|\.js)/.test(name)) rmSync(join(dist, name));
  await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([bundle, module]) => [bundle, join(dist, module)])),
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
        .map((library) => licenseComment(library))
        .join(""),
    },
    legalComments: "none",
    logLevel: "warning",
    minifySyntax: true,
  });
  for (const [from, name] of Object.entries(copied)) cpSync(join(root, from), join(dist, name), { recursive: true });
}

const ownPackagesOnly: Plugin = {
  name: "own packages only",
  setup: (step) => {
    step.onResolve({ filter: /^[a-z@]/ }, ({ path, kind }) =>
      kind === "entry-point" || /^(?:@homeostat\/|(?:create-)?homeostat$)/.test(path)
        ? undefined
        : { path, external: true },
    );
  },
};
