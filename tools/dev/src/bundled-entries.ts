import { readFile } from "node:fs/promises";

/** Path of a bundle in a manifest: `./dist/bundle-internal.js`. */
const bundlePath = /^\.\/dist\/(?<bundle>bundle(?:-[\w-]+)?)\.js$/;

/**
 * Returns the bundles that the `exports` of a package name, with the module that each is made of: `{ bundle: "./dist/index.js" }`.
 *
 * The condition `development` has the module, and `default` the bundle.
 */
export async function bundledEntries(manifest: string): Promise<Readonly<Record<string, string>>> {
  const { exports: subpaths = {} }: { exports?: Readonly<Record<string, Readonly<Record<string, string>>>> } =
    JSON.parse(await readFile(manifest, "utf8"));
  const entries: [string, string][] = [];
  for (const [subpath, conditions] of Object.entries(subpaths)) {
    const bundle = bundlePath.exec(conditions["default"] ?? "")?.groups?.["bundle"];
    if (bundle === undefined) continue;
    const module = conditions["development"];
    if (module === undefined) throw new Error(`${manifest}: exports["${subpath}"] has no condition "development"`);
    entries.push([bundle, module]);
  }
  if (entries.length === 0) throw new Error(`${manifest} exports no bundle`);
  return Object.fromEntries(entries);
}
