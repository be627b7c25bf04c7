// Bundles the compiled modules: each library package into one file that users load, the page of the dashboard and the command line into others, and each
// operator with all libraries into a third one for images.
//
// A package of many small modules is easy to read and slow to load: Node opens, links and evaluates each of them. Tests
// run the modules themselves (condition `development`), so that stack traces name the source module.
//
//   node tools/dev/dist/bundle.js

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleProgram } from "./bundle-program.ts";
import { bundleWhole } from "./bundle-whole.ts";
import { importedYaml, licenseComment, onFirstUse } from "./on-first-use.ts";
import { root } from "./tidy/tree.ts";

const operators = readdirSync(join(root, "operators"))
  .filter((name) => existsSync(join(root, "operators", name, "package.json")))
  .map((name) => `operators/${name}`);

const folders = [
  "packages/core",
  "packages/cel",
  "packages/schema",
  "packages/http",
  "packages/routing",
  "packages/proxy",
  "packages/tunnel",
  "packages/client",
  "packages/runtime",
  "packages/x509",
  "packages/webhook",
  "packages/apiserver",
  "packages/cluster",
  "packages/operator",
  "packages/testing",
  "packages/homeostat",
  ...operators,
];

/**
 * Libraries included in a package's bundle and evaluated on first use, with the names that the package uses.
 *
 * This saves load time, and it lets users bundle their programs: a CommonJS library calls `require` for Node's built-in modules,
 * and an ES module bundle has no `require`.
 */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // 250 KB that only patterns need: loading it eagerly took a quarter of the load time.
  "packages/cel": { re2js: ["RE2JS", "RE2JSException"] },
  "packages/client": { yaml: ["parse", "YAMLParseError"] },
  "packages/runtime": { pino: ["pino"] },
  "packages/apiserver": {
    yaml: ["Document", "LineCounter", "isNode", "isScalar", "parseDocument", "stringify", "visit"],
  },
  "operators/sandbox": { yaml: ["parse", "YAMLParseError"] },
};

/** Marks our own packages as free of side effects, so that unused imports are dropped. */
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
  // The compiler updates .tsbuildinfo whenever it writes a module.
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= statSync(compiled).mtimeMs) continue;
  const libraries = Object.entries(inside[name] ?? {});
  for (const file of readdirSync(join(folder, "dist"))) {
    if (/^bundle(?:-[\w-]+)?\.js(?:\.map)?$/.test(file)) rmSync(join(folder, "dist", file));
  }
  const internal = join(folder, "dist", "internal.js");
  const hasInternal = existsSync(internal);
  await build({
    ...(hasInternal
      ? {
          stdin: {
            contents: 'export * from "./index.js"; export * from "./internal.js";',
            resolveDir: join(folder, "dist"),
          },
        }
      : { entryPoints: [entry] }),
    outfile: hasInternal ? join(folder, "dist", "bundle-all.js") : bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [...libraries.map(([library, names]) => onFirstUse(library, names)), importedYaml, ownPackages],
    banner: { js: libraries.map(([library]) => licenseComment(library)).join("") },
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
    minifyWhitespace: true,
    minifySyntax: true,
  });
  if (hasInternal) {
    await writeExports(entry, bundle);
    await writeExports(internal, join(folder, "dist", "bundle-internal.js"));
  }
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  for (const file of ["bundle.js", ...(hasInternal ? ["bundle-internal.js"] : [])]) {
    if (!manifest.includes(`"./dist/${file}"`)) throw new Error(`${name}/package.json does not export dist/${file}`);
  }
}

/**
 * Writes a module that exports the names of `entry` from `bundle-all.js`.
 *
 * A package with internal names has two entry points. They share one bundle, because a class must exist once: with a bundle
 * for each, an error that internal code throws would not be an instance of the public class.
 */
async function writeExports(entry: string, file: string): Promise<void> {
  const { metafile } = await build({ entryPoints: [entry], write: false, metafile: true, logLevel: "warning" });
  const names = Object.values(metafile.outputs).flatMap((output) => output.exports);
  writeFileSync(file, `export { ${names.sort().join(", ")} } from "./bundle-all.js";\n`);
}

// The page of the dashboard has a program of its own, because `npm start` needs it without the tools of the repository.
if (existsSync(join(root, "apps/dashboard/dist/runbook/runbook.js")))
  execFileSync(process.execPath, [join(root, "apps/dashboard/bin/build-page.js")], { stdio: "inherit" });

await bundleProgram({
  folder: "apps/cli",
  narrow: {
    "@homeostat/cluster": "packages/cluster/dist/start/start-cluster.js",
    "@homeostat/cluster/app-model": "packages/cluster/dist/models/index.js",
  },
  libraries: inside["packages/cel"] ?? {},
});

for (const operator of operators) await bundleWhole(operator);
await bundleWhole("apps/route-server");
// It imports little of the packages that operators consist of, and its memory is a goal.
await bundleWhole("apps/proxy", {
  narrow: { "@homeostat/operator": "packages/operator/dist/tracing/operator-traces.js" },
});
await bundleWhole("apps/tunnel");
await bundleWhole("apps/dashboard");
await bundleWhole("apps/sandboxctl");
// The stub of the Chronik components, for images on real nodes.
await bundleWhole("operators/chronik", { entry: "app-model/stub-main.js", bundle: "stub.js" });
