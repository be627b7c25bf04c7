import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The root folder of the repository. */
export const repository: URL = new URL("../../../", import.meta.url);

/** Returns the names of all operators, which are the folders in `operators/`. */
export function operatorNames(): readonly string[] {
  const folder = new URL("operators/", repository);
  return readdirSync(folder).filter((name) => existsSync(new URL(`${name}/package.json`, folder)));
}

/** Reads a file of the repository. */
export function readRepositoryFile(path: string): string {
  return readFileSync(new URL(path, repository), "utf8");
}
