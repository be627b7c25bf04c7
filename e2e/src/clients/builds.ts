// Builds the client programs of other projects once, and keeps them in the cache directory of `npm run kube`.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder with the sources of the programs. */
export const sources: string = fileURLToPath(new URL("../../clients/", import.meta.url));

/** A kubectl release two minor versions older than the clusters: the version skew that Kubernetes supports. */
export const olderKubectl = "1.34.13";

/** Builds a program of the Go module, or its test binary. Returns its path. */
export async function buildGo(name: string, kind: "program" | "tests" = "program"): Promise<string> {
  const source = join(sources, "go");
  const folder = cacheFolder(`go-${name}`);
  const program = join(folder, name);
  const version = await output("go", ["env", "GOVERSION"]);
  await once({ folder, what: `the Go program ${name}`, key: [version, ...filesOf(source)] }, async () => {
    const verb = kind === "tests" ? ["test", "-c"] : ["build"];
    await run("go", [...verb, "-trimpath", "-o", program, `./${name}`], source);
  });
  return program;
}

/** Builds the older kubectl. Returns its path. */
export async function buildOlderKubectl(): Promise<string> {
  const source = join(sources, "kubectl");
  const folder = cacheFolder(`kubectl-${olderKubectl}`);
  const program = join(folder, "kubectl");
  const [major = "", minor = ""] = olderKubectl.split(".");
  const versionInfo = { gitVersion: `v${olderKubectl}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(versionInfo).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  await once({ folder, what: `kubectl ${olderKubectl}`, key: [olderKubectl, ...filesOf(source)] }, async () => {
    await run("go", ["build", "-trimpath", `-ldflags=-s -w ${flags.join(" ")}`, "-o", program, "."], source);
  });
  return program;
}

/** Builds the kube-rs program. Returns its path. */
export async function buildRust(): Promise<string> {
  const source = join(sources, "rust");
  const folder = cacheFolder("rust");
  const target = join(folder, "target");
  const version = await output("rustc", ["--version"]);
  await once({ folder, what: "the kube-rs program", key: [version, ...filesOf(source)] }, async () => {
    await run("cargo", ["build", "--locked", "--target-dir", target], source);
  });
  return join(target, "debug", "rust-client");
}

/** Installs @kubernetes/client-node next to its program. Returns the path of the program. */
export async function installClientNode(): Promise<string> {
  const source = join(sources, "node");
  const folder = cacheFolder("node");
  const copy = join(folder, "program");
  await once({ folder, what: "the @kubernetes/client-node program", key: filesOf(source) }, async () => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(source, copy, { recursive: true });
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], copy);
  });
  return join(copy, "main.mjs");
}

/** Returns the reason to skip a suite whose toolchain is missing, or undefined. */
export async function whyNo(command: string, words: readonly string[]): Promise<string | undefined> {
  try {
    await output(command, words);
    return undefined;
  } catch {
    return `${command} is not installed`;
  }
}

interface Build {
  readonly folder: string;
  readonly what: string;
  /** Everything that determines the build result. */
  readonly key: readonly string[];
}

/** Runs a build unless its result is in the cache. */
async function once({ folder, what, key }: Build, work: () => Promise<void>): Promise<void> {
  const mark = join(folder, "built-from");
  const hash = createHash("sha256").update(key.join("\0")).digest("hex");
  if (existsSync(mark) && readFileSync(mark, "utf8") === hash) return;
  process.stderr.write(`clients: building ${what} (minutes the first time)\n`);
  mkdirSync(folder, { recursive: true });
  await work();
  writeFileSync(mark, hash);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => [path.slice(folder.length), readFileSync(path, "utf8")]);
}

function cacheFolder(name: string): string {
  return join(cacheRoot(), "clients", name);
}

function cacheRoot(): string {
  const { HOMEOSTAT_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  if (own !== undefined && own !== "") return resolve(own);
  return xdg !== undefined && isAbsolute(xdg) ? join(xdg, "homeostat") : join(homedir(), ".cache", "homeostat");
}

function output(command: string, words: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(command, words, { stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done(text) : failed(new Error(`${command} failed with ${code}`))));
  });
}

function run(command: string, words: readonly string[], cwd: string): Promise<void> {
  return new Promise((done, failed) => {
    // Static binaries without cgo, independent of the Git repository around the sources.
    const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
    const child = spawn(command, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let tail = "";
    const keep = (piece: Buffer): void => {
      tail = (tail + piece.toString()).slice(-4000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", failed);
    child.on("close", (code) =>
      code === 0 ? done() : failed(new Error(`${command} ${words.join(" ")} failed with ${code}:\n${tail}`)),
    );
  });
}
