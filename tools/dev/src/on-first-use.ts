import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "./tidy/tree.ts";

/**
 * Includes a library in a bundle, minified, as a function that runs when one of its names is first used.
 *
 * V8 only pre-parses a function that is not called yet, so a program that never needs the library pays almost nothing
 * for it. An `import()` of the library becomes a chunk beside the bundle.
 */
export function onFirstUse(library: string, names: readonly string[]): Plugin {
  const whole = `${library} as a whole`;
  const imported = `${library} by import()`;
  return {
    name: `${library} on first use`,
    setup: (step) => {
      step.onResolve({ filter: new RegExp(`^${library}(?: as a whole)?$`) }, ({ path, kind }) => ({
        path: kind === "dynamic-import" ? imported : path,
        namespace: "first-use",
      }));
      step.onLoad({ filter: /./, namespace: "first-use" }, async ({ path }) => {
        if (path === whole) return { contents: await minifiedLibrary(library, names), loader: "js" };
        return { contents: path === imported ? constants(whole, names) : getters(whole, names), loader: "js" };
      });
    },
  };
}

/**
 * Replaces the module that loads the API server's YAML library with a static import. See `yaml-library.ts` in the API server.
 */
export const importedYaml: Plugin = {
  name: "imported yaml",
  setup: (step) => {
    step.onLoad({ filter: /packages\/apiserver\/dist\/codec\/yaml-library\.js$/ }, () => ({
      contents: 'import * as library from "yaml"; export function yamlLibrary() { return library; }',
      loader: "js",
    }));
  },
};

/** Resolves Node's built-in modules through the process object: an ES module bundle has no `require`. */
const nodeModules: Plugin = {
  name: "Node built-in modules",
  setup: (step) => {
    step.onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: "node" } : undefined));
    step.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** Returns the license of a library as a comment for the head of the bundle. */
export function licenseComment(library: string): string {
  const text = readFileSync(join(root, "node_modules", library, "LICENSE"), "utf8").trim();
  return `/*! Contains ${library}:\n\n${text}\n*/\n`;
}

/** Returns a CommonJS module with getters: exports of an ES module cannot be getters. */
function getters(whole: string, names: readonly string[]): string {
  const lines = names.map((name) => `get ${name}() { return require(${JSON.stringify(whole)}).${name}; },`);
  return `module.exports = {\n${lines.join("\n")}\n};\n`;
}

/** Returns an ES module for `import()`, whose namespace must have the names. */
function constants(whole: string, names: readonly string[]): string {
  const lines = names.map((name) => `export const ${name} = library.${name};`);
  return `import * as library from ${JSON.stringify(whole)};\n${lines.join("\n")}\n`;
}

/** Bundles and minifies the part of the library that the names need. */
async function minifiedLibrary(library: string, names: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names.join(", ")} } from ${JSON.stringify(library)};`, resolveDir: root },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    plugins: [nodeModules],
    legalComments: "none",
    logLevel: "warning",
    minify: true,
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("");
}
