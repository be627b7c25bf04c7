import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readRecord, root } from "../repository.ts";

/** A package that is published. */
export interface PublishedPackage {
  /** Its folder: `packages/client`. */
  readonly folder: string;
  readonly name: string;
}

/** Returns the folders of all packages of the repository, published or not. */
export function workspaceFolders(): readonly string[] {
  const patterns = readRecord("package.json")["workspaces"];
  if (!Array.isArray(patterns)) throw new Error("package.json has no list of workspaces");
  return patterns
    .map(String)
    .flatMap((pattern) => {
      if (!pattern.endsWith("/*")) return [pattern];
      const parent = pattern.slice(0, -"/*".length);
      return readdirSync(join(root, parent))
        .toSorted()
        .map((name) => `${parent}/${name}`);
    })
    .filter((folder) => existsSync(join(root, folder, "package.json")));
}

/** Returns the packages that are published: all that are not private. */
export function publishedPackages(): readonly PublishedPackage[] {
  return workspaceFolders().flatMap((folder): PublishedPackage[] => {
    const manifest = readRecord(`${folder}/package.json`);
    return manifest["private"] === true ? [] : [{ folder, name: String(manifest["name"]) }];
  });
}

/** A program that has an image. */
export interface ProgramImage {
  /** Its folder: `operators/locust`. */
  readonly folder: string;
  /** The name of the image: `locust-operator`. */
  readonly name: string;
}

/** Returns the programs that have an image: all operators, and programs that are installed with one. */
export function programImages(): readonly ProgramImage[] {
  const operators = readdirSync(join(root, "operators"))
    .toSorted()
    .filter((name) => existsSync(join(root, "operators", name, "package.json")))
    .map((name) => ({ folder: `operators/${name}`, name: `${name}-operator` }));
  return [
    ...operators,
    { folder: "apps/dashboard", name: "homeostat-dashboard" },
    { folder: "apps/proxy", name: "sandbox-proxy" },
    { folder: "apps/route-server", name: "sandbox-route-server" },
    { folder: "apps/tunnel", name: "sandbox-tunnel" },
  ];
}
