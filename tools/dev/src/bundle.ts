// Puts the compiled modules of each library package into one file, which is what users load.
//
// A package of many small modules is good to read and slow to load: Node opens, links and evaluates each of them. Tests
// run the modules themselves (condition `development`), so that a stack trace names the file to look at.
//
//   node tools/dev/dist/bundle.js

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./tidy/tree.ts";

const packages = ["core", "cel", "schema", "client", "runtime", "x509", "webhook"];

for (const name of packages) {
  const folder = join(root, "packages", name);
  const entry = join(folder, "dist", "index.js");
  const bundle = join(folder, "dist", "bundle.js");
  const compiled = join(folder, "dist", ".tsbuildinfo");
  if (!existsSync(entry)) continue;
  // The compiler touches its record whenever it writes a module.
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= statSync(compiled).mtimeMs) continue;
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
  if (!readFileSync(join(folder, "package.json"), "utf8").includes('"./dist/bundle.js"')) {
    throw new Error(`packages/${name}/package.json does not export dist/bundle.js`);
  }
}
