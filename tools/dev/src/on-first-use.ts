import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "./tidy/tree.ts";

/**
 * Puts a library into a bundle, made small, as a function that runs when one of its names is first used.
 *
 * An engine only skims over a function that is not called yet, so that a program which never needs the library hardly
 * pays for it. Nothing is loaded at run time: the bundle stays one plain module.
 */
export function onFirstUse(library: string, names: readonly string[]): Plugin {
  const whole = `${library} as a whole`;
  return {
    name: `${library} on first use`,
    setup: (step) => {
      step.onResolve({ filter: new RegExp(`^${library}(?: as a whole)?$`) }, ({ path }) => ({
        path,
        namespace: "first-use",
      }));
      step.onLoad({ filter: /./, namespace: "first-use" }, async ({ path }) => ({
        contents: path === whole ? await smallText(library, names) : getters(whole, names),
        loader: "js",
      }));
    },
  };
}

/**
 * Puts an import in the place of the module by which the API server loads its YAML library: see `yaml-library.ts` there.
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

/** Takes modules of Node's from the process: a bundle that is an ES module has no `require`. */
const nodeModules: Plugin = {
  name: "modules of Node's",
  setup: (step) => {
    step.onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: "node" } : undefined));
    step.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** The licence of a library, as a comment for the head of the file that holds it. */
export function licenceOf(library: string): string {
  const text = readFileSync(join(root, "node_modules", library, "LICENSE"), "utf8").trim();
  return `/*! Contains ${library}:\n\n${text}\n*/\n`;
}

/** A module in the old format, because its exports can be getters. */
function getters(whole: string, names: readonly string[]): string {
  const lines = names.map((name) => `get ${name}() { return require(${JSON.stringify(whole)}).${name}; },`);
  return `module.exports = {\n${lines.join("\n")}\n};\n`;
}

/** What the names need of the library and nothing else, with short names inside. */
async function smallText(library: string, names: readonly string[]): Promise<string> {
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
