import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readRecord, root } from "../repository.ts";

/** A package that is published. */
export interface PublishedPackage {
  /** Its folder: `packages/client`. */
  readonly folder: string;
  readonly name: string;
}

/** Returns the packages that are published: those of `packages/`, `operators/` and `apps/` that are not private. */
export function publishedPackages(): readonly PublishedPackage[] {
  return ["packages", "operators", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .toSorted()
      .map((name) => `${parent}/${name}`)
      .filter((folder) => existsSync(join(root, folder, "package.json")))
      .flatMap((folder): PublishedPackage[] => {
        const manifest = readRecord(`${folder}/package.json`);
        return manifest["private"] === true ? [] : [{ folder, name: String(manifest["name"]) }];
      }),
  );
}

/** Returns the operators that have an image, by their folders in `operators/`. */
export function operatorImages(): readonly string[] {
  return readdirSync(join(root, "operators"))
    .toSorted()
    .filter((name) => existsSync(join(root, "operators", name, "package.json")));
}
