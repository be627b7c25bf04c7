import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tidy/tree.ts";

/** Returns the time of the latest compilation of any package in these folders, from the .tsbuildinfo files. */
export function newestMs(parents: readonly string[]): number {
  const records = parents.flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name, "dist", ".tsbuildinfo")),
  );
  return Math.max(...records.filter((path) => existsSync(path)).map((path) => statSync(path).mtimeMs));
}
