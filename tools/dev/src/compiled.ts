import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tidy/tree.ts";

/** When a package below one of these folders was compiled last. The compiler touches its record whenever it writes a module. */
export function newestMs(parents: readonly string[]): number {
  const records = parents.flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name, "dist", ".tsbuildinfo")),
  );
  return Math.max(...records.filter((path) => existsSync(path)).map((path) => statSync(path).mtimeMs));
}
