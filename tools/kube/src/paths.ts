import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { CacheUnwritableError, KubeUsageError, errorCode } from "./errors.ts";
import { versions } from "./versions.ts";

/** The environment variables of a process, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

/** Where everything this tool keeps lies: `$HOMEOSTAT_CACHE`, else the user's cache folder. Never in the repository. */
export function cacheFolder(env: Environment): string {
  const own = env["HOMEOSTAT_CACHE"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = env["XDG_CACHE_HOME"];
  // The XDG rules say that a relative path is to be ignored.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "homeostat");
  return join(env["HOME"] ?? homedir(), ".cache", "homeostat");
}

/** Where the binaries of exactly these releases lie, so that an upgrade never mixes two. */
export function binariesFolder(env: Environment): string {
  const { kubernetes, etcd, coredns } = versions;
  return join(cacheFolder(env), "bin", `kubernetes-${kubernetes}_etcd-${etcd}_coredns-${coredns}`);
}

/** Where one cluster keeps its state: keys, configuration, logs, the record of its processes. */
export function clusterFolder(env: Environment, name: string): string {
  return join(clustersFolder(env), name);
}

/** Where all clusters keep their state. */
export function clustersFolder(env: Environment): string {
  return join(cacheFolder(env), "clusters");
}

/** Where packed images wait to be imported. */
export function imagesFolder(env: Environment): string {
  return join(cacheFolder(env), "images");
}

/** Makes a folder, and everything above it, that only this user can enter; says so when it cannot be written. */
export function ensureFolder(path: string): string {
  try {
    // Not the recursive mkdir, which never returns below /proc, where nothing can be made and nothing says why.
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
    // Another process was faster.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

const namePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const nameLengthMax = 40;

/** Refuses a cluster name that would not do as part of a path or of a host name. */
export function checkName(name: string): string {
  if (name.length <= nameLengthMax && namePattern.test(name)) return name;
  throw new KubeUsageError(
    `${JSON.stringify(name)} cannot name a cluster: use lower-case letters, digits and inner hyphens, ${nameLengthMax} at most.`,
  );
}
