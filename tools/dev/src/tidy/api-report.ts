import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { publicNames } from "./declarations.ts";
import { root } from "./tree.ts";

/** Folder of the reports, one file per package. */
export const reportFolder = "docs/reference/api";

/** Returns the packages with a report. The generated Kubernetes types have none. */
export function reportedPackages(): string[] {
  return readdirSync(join(root, "packages"))
    .filter((name) => name !== "kubernetes" && existsSync(join(root, "packages", name, "package.json")))
    .sort();
}

/** Public subpaths of packages, and the module that exports their names. */
const subpaths: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cluster: { "app-model": "models/index.d.ts" },
};

/** Returns the public names of a package with their declarations, without comments. */
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
