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
import { bundledEntries } from "./bundled-entries.ts";
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
  "packages/client": { yaml: ["parse", "parseAllDocuments", "YAMLParseError"] },
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
  const dist = join(root, name, "dist");
  const entries = await bundledEntries(join(root, name, "package.json"));
  const compiled = join(dist, ".tsbuildinfo");
  if (!existsSync(join(dist, "index.js"))) continue;
  // The compiler updates .tsbuildinfo whenever it writes a module.
  const isCurrent = Object.keys(entries).every((bundle) => {
    const file = join(dist, `${bundle}.js`);
    return existsSync(file) && statSync(file).mtimeMs >= statSync(compiled).mtimeMs;
  });
  if (isCurrent) continue;
  const libraries = Object.entries(inside[name] ?? {});
  for (const file of readdirSync(dist)) {
    if (/^bundle(?:-[\w-]+)?\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file));
  }
  await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([bundle, path]) => [bundle, join(root, name, path)])),
    outdir: dist,
    // Entry points share chunks, because a class must exist once: with a copy in each bundle, an error that internal code
    // throws would not be an instance of the public class.
    splitting: true,
    chunkNames: "bundle-[hash]",
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [...libraries.map(([library, names]) => onFirstUse(library, names)), importedYaml, ownPackages],
    banner: { js: libraries.map(([library]) => licenseComment(library)).join("") },
    // Lines and names stay: a stack trace of a user must be readable without source maps too.
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
    minifySyntax: true,
  });
  for (const file of readdirSync(dist)) if (/^bundle.*\.js$/.test(file)) removeBareImports(join(dist, file));
}

/**
 * Removes imports of chunks of which nothing is used, such as `import "./bundle-AB12.js"`. The packages have no side effects and say so, and
 * bundlers of users warn about such imports. Lines keep their numbers, for the source map.
 */
function removeBareImports(file: string): void {
  const text = readFileSync(file, "utf8");
  const without = text.replace(/^import "\.\/bundle-[\w-]+\.js";$/gm, "");
  if (without !== text) writeFileSync(file, without);
}

// The page of the dashboard has a program of its own, because `npm start` needs it without the tools of the repository.
if (existsSync(join(root, "apps/dashboard/dist/runbook/runbook.js")))
  execFileSync(process.execPath, [join(root, "apps/dashboard/bin/build-page.js")], { stdio: "inherit" });

await bundleProgram({
  folder: "apps/cli",
  entries: {
    bundle: "main.js",
    "bundle-etcd": "shims/etcd-main.js",
    "bundle-kube-apiserver": "shims/kube-apiserver-main.js",
  },
  copied: { "apps/dashboard/dist/assets": "page" },
  narrow: {
    "@homeostat/cluster": "packages/cluster/dist/start/start-cluster.js",
    "@homeostat/cluster/app-model": "packages/cluster/dist/models/index.js",
  },
  libraries: inside["packages/cel"] ?? {},
});

await bundleProgram({
  folder: "apps/create",
  entries: { bundle: "main.js" },
  copied: {},
  narrow: {},
  libraries: {},
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
