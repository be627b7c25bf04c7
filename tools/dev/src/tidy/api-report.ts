import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { publicNames } from "./declarations.ts";
import { root } from "./tree.ts";

/** Where the reports live, a file per package. */
export const reportFolder = "docs/reference/api";

/** The packages that have a public list of names. The generated Kubernetes types describe themselves. */
export function reportedPackages(): string[] {
  return readdirSync(join(root, "packages"))
    .filter((name) => name !== "kubernetes" && existsSync(join(root, "packages", name, "package.json")))
    .sort();
}

/** Subpaths of packages that are public too, by the module that lists their names. */
const subpaths: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cluster: { "app-model": "models/index.d.ts" },
};

/** Everything a package promises its users, as text: the names and their types, without comments. */
export function apiReport(name: string): string {
  const modules = { "": "index.d.ts", ...subpaths[name] };
  return Object.entries(modules)
    .map(([subpath, module]) => {
      const names = publicNames(join(root, "packages", name, "dist", module));
      const declarations = names.map(({ declaration }) => declaration).join("\n\n");
      const specifier = subpath === "" ? `@homeostat/${name}` : `@homeostat/${name}/${subpath}`;
      return `// ${specifier}: ${names.length} public names. Made by \`npm run docs\`.\n\n${declarations}\n`;
    })
    .join("\n");
}
