import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** Files of a package that its entry points need. */
export interface ReachableFiles {
  /** Paths relative to the package: programs, declarations, source maps. */
  readonly files: ReadonlySet<string>;
  /** Names of other packages that these files import. */
  readonly imported: ReadonlySet<string>;
}

/** Finds the programs and declarations that entry points of a package import, directly or not. */
export async function reachableFiles(folder: string, entries: readonly string[]): Promise<ReachableFiles> {
  const declarations = entries.filter((path) => path.endsWith(".d.ts"));
  const programs = entries.filter((path) => !path.endsWith(".d.ts"));
  const found = [await reachablePrograms(folder, programs), await reachableDeclarations(folder, declarations)];
  return {
    files: new Set(found.flatMap(({ files }) => [...files])),
    imported: new Set(found.flatMap(({ imported }) => [...imported])),
  };
}

async function reachablePrograms(folder: string, entries: readonly string[]): Promise<ReachableFiles> {
  if (entries.length === 0) return { files: new Set(), imported: new Set() };
  const { metafile } = await build({
    entryPoints: entries.map((path) => join(folder, path)),
    absWorkingDir: folder,
    outdir: join(folder, "unused"),
    write: false,
    metafile: true,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    loader: { "": "js" },
    logLevel: "silent",
  });
  const files = Object.keys(metafile.inputs);
  const imported = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !path.startsWith("node:") && !path.startsWith("<"))
    .map(({ path }) => packageOf(path));
  const maps = files.map((file) => `${file}.map`).filter((file) => existsSync(join(folder, file)));
  return { files: new Set([...files, ...maps]), imported: new Set(imported) };
}

async function reachableDeclarations(folder: string, entries: readonly string[]): Promise<ReachableFiles> {
  const files = new Set<string>();
  const imported = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    files.add(file);
    for (const specifier of importsOf(await readFile(join(folder, file), "utf8"))) {
      if (specifier.startsWith(".")) await visit(declarationOf(join(dirname(file), specifier)));
      else if (!specifier.startsWith("node:")) imported.add(packageOf(specifier));
    }
  };
  for (const entry of entries) await visit(relative(".", entry));
  return { files, imported };
}

/** Returns the specifiers that a declaration file imports. Lines of comments, which contain examples, are skipped. */
export function importsOf(declarations: string): readonly string[] {
  const code = declarations
    .split("\n")
    .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line))
    .join("\n");
  const statements = code.matchAll(/^(?:import|export|\})(?:[^"\n]*\bfrom)? "([^"]+)";?$/gm);
  const types = code.matchAll(/\bimport\("([^"]+)"\)/g);
  return [...statements, ...types].flatMap(([, specifier]) => specifier ?? []);
}

/** Returns the declaration file of a module: of `x.ts` and of `x.js` it is `x.d.ts`. */
function declarationOf(path: string): string {
  return path.replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
}

/** Returns the name of the package that a specifier belongs to: `@homeostat/kubernetes/apps/v1` to `@homeostat/kubernetes`. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
