import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { UsageError } from "@homeostat/core";
import { CacheUnwritableError, errorCode } from "../errors.ts";
import { versions } from "../versions.ts";

/** Environment variables of a process, like `process.env`. */
export type Environment = { readonly [name: string]: string | undefined };

/** Returns the cache folder: `$HOMEOSTAT_CACHE`, else the user's cache folder. Never inside the repository. */
export function cacheFolder(env: Environment): string {
  const own = env["HOMEOSTAT_CACHE"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = env["XDG_CACHE_HOME"];
  // The XDG specification says that relative paths must be ignored.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "homeostat");
  return join(env["HOME"] ?? homedir(), ".cache", "homeostat");
}

/** Returns the folder of the binaries of exactly these releases, so that an upgrade never mixes two. */
export function binariesFolder(env: Environment): string {
  const { kubernetes, etcd, coredns } = versions;
  return join(cacheFolder(env), "bin", `kubernetes-${kubernetes}_etcd-${etcd}_coredns-${coredns}`);
}

/** Returns the folder of a cluster: keys, configuration, logs, the record of its processes. */
export function clusterFolder(env: Environment, name: string): string {
  return join(clustersFolder(env), name);
}

/** Returns the folder of all clusters. */
export function clustersFolder(env: Environment): string {
  return join(cacheFolder(env), "clusters");
}

/** Returns the folder of packed images. */
export function imagesFolder(env: Environment): string {
  return join(cacheFolder(env), "images");
}

/** Creates a folder and its parents, which only this user can enter. Throws if it cannot be written. */
export function ensureFolder(path: string): string {
  try {
    // Not the recursive mkdir, which never returns below /proc.
    if (!existsSync(path)) {
      ensureFolder(dirname(path));
      makeOne(path);
    }
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof CacheUnwritableError) throw error;
    const code = errorCode(error);
    if (code === "ENOSPC" || code === "EDQUOT") throw error;
    throw new CacheUnwritableError(
      `${path} cannot be made or written (${code ?? String(error)}). Point HOMEOSTAT_CACHE at a folder you own.`,
      { cause: error },
    );
  }
  return path;
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it at the same time.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

const namePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const nameLengthMax = 40;

/** Rejects a cluster name that is not valid in a path or a host name. */
export function checkName(name: string): string {
  if (name.length <= nameLengthMax && namePattern.test(name)) return name;
  throw new UsageError(
    `${JSON.stringify(name)} is not a valid cluster name: use lower-case letters, digits and inner hyphens, ${nameLengthMax} at most.`,
  );
}
