// Puts the compiled modules of each library package into one file, which is what users load; the command line with all
// that it needs into another; and each operator with every library into a third, which is what images hold.
//
// A package of many small modules is good to read and slow to load: Node opens, links and evaluates each of them. Tests
// run the modules themselves (condition `development`), so that a stack trace names the file to look at.
//
//   node tools/dev/dist/bundle.js

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleProgram } from "./bundle-program.ts";
import { bundleWhole } from "./bundle-whole.ts";
import { importedYaml, licenceOf, onFirstUse } from "./on-first-use.ts";
import { root } from "./tidy/tree.ts";

const operators = readdirSync(join(root, "operators"))
  .filter((name) => existsSync(join(root, "operators", name, "package.json")))
  .map((name) => `operators/${name}`);

const folders = [
  "packages/core",
  "packages/cel",
  "packages/schema",
  "packages/http",
  "packages/client",
  "packages/runtime",
  "packages/x509",
  "packages/webhook",
  "packages/apiserver",
  "packages/cluster",
  "packages/operator",
  "packages/homeostat",
  ...operators,
];

/**
 * Libraries that a bundle holds, evaluated when they are first used, with the names that the package needs of them.
 *
 * Beside the time, this is for users who bundle their programs: a library in CommonJS calls `require` for modules of Node's,
 * which a bundle that is an ES module does not have.
 */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // A quarter of a megabyte that only patterns need: loading it with the rest took a quarter of the time.
  "packages/cel": { re2js: ["RE2JS", "RE2JSException"] },
  "packages/client": { yaml: ["parse", "YAMLParseError"] },
  "packages/runtime": { pino: ["pino"] },
  "packages/apiserver": {
    yaml: ["Document", "LineCounter", "isNode", "isScalar", "parseDocument", "stringify", "visit"],
  },
};

/** Our own packages do nothing when they are loaded: an import of which nothing is used is left out. */
const ownPackages: Plugin = {
  name: "own packages",
  setup: (step) => {
    step.onResolve({ filter: /^@homeostat\// }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

for (const name of folders) {
  const folder = join(root, name);
  const entry = join(folder, "dist", "index.js");
  const bundle = join(folder, "dist", "bundle.js");
  const compiled = join(folder, "dist", ".tsbuildinfo");
  if (!existsSync(entry)) continue;
  // The compiler touches its record whenever it writes a module.
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= statSync(compiled).mtimeMs) continue;
  const libraries = Object.entries(inside[name] ?? {});
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [...libraries.map(([library, names]) => onFirstUse(library, names)), importedYaml, ownPackages],
    banner: { js: libraries.map(([library]) => licenceOf(library)).join("") },
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
  if (!readFileSync(join(folder, "package.json"), "utf8").includes('"./dist/bundle.js"')) {
    throw new Error(`${name}/package.json does not export dist/bundle.js`);
  }
}

await bundleProgram({
  folder: "apps/cli",
  narrow: {
    "@homeostat/cluster": "packages/cluster/dist/start/start-cluster.js",
    "@homeostat/cluster/app-model": "packages/cluster/dist/models/index.js",
  },
  libraries: inside["packages/cel"] ?? {},
});

for (const operator of operators) await bundleWhole(operator);
