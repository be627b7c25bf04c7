// Programs in other languages that suites and benchmarks compare with: Go, Rust and Node programs whose sources are in this repository
// and whose libraries are not. All of them are built here, into one cache.
//
// A build is complete when its folder has the file `built-from`, which holds a hash of the compiler version and of all sources. The
// file is written last, so an interrupted build is repeated. A lock lets one process build while the others wait for its result:
// two test files may need the same program at the same time.

import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolMissingError } from "../errors.ts";
import { withLock } from "../processes/lock.ts";
import { cacheFolder, ensureFolder } from "../cache/paths.ts";
import { run, tryRun } from "../processes/run.ts";

/** Options that all builds of peer programs share. */
export interface PeerBuildOptions {
  /** Folder with the sources. */
  readonly source: string;
  /** Folder of the result inside the cache. Different programs need different names. */
  readonly name: string;
  /** Receives a line when a build starts. Default: standard error. */
  readonly report?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A peer program that is ready to run. */
export interface PeerProgram {
  readonly path: string;
  /** Version of the compiler, such as `go1.26.3`; empty for programs that are not compiled. */
  readonly compiler: string;
}

/** Options of {@link buildGoPeer}. */
export interface GoPeerOptions extends PeerBuildOptions {
  /** Package to build, relative to the source folder. Default: `.`. */
  readonly package?: string;
  /** True to build the test binary of the package instead of its main function. */
  readonly isTest?: boolean;
  /** Flags of the linker. */
  readonly linkFlags?: string;
}

/** Builds a Go program, unless an earlier build of the same sources exists. */
export async function buildGoPeer(options: GoPeerOptions): Promise<PeerProgram> {
  const { source, name, package: goPackage = ".", isTest = false, linkFlags, signal } = options;
  const compiler = await compilerVersion("go", ["env", "GOVERSION"], "Go", signal);
  const folder = await buildOnce(options, [compiler, goPackage, String(isTest), linkFlags ?? ""], async (target) => {
    const verb = isTest ? ["test", "-c"] : ["build"];
    const link = linkFlags === undefined ? [] : [`-ldflags=${linkFlags}`];
    // Static binaries without C. The build must not depend on the repository around the folder.
    const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
    const args = [...verb, "-trimpath", ...link, "-o", join(target, name), goPackage];
    await run("go", args, { cwd: source, env, signal });
  });
  return { path: join(folder, name), compiler };
}

/** Options of {@link buildRustPeer}. */
export interface RustPeerOptions extends PeerBuildOptions {
  /** Name of the binary in Cargo.toml. */
  readonly binary: string;
  readonly profile: "debug" | "release";
}

/** Builds a Rust program, unless an earlier build of the same sources exists. */
export async function buildRustPeer(options: RustPeerOptions): Promise<PeerProgram> {
  const { source, binary, profile, signal } = options;
  const compiler = await compilerVersion("rustc", ["--version"], "Rust", signal);
  const folder = await buildOnce(options, [compiler, profile], async (target) => {
    const release = profile === "release" ? ["--release"] : [];
    const args = ["build", ...release, "--locked", "--target-dir", join(target, "target")];
    await run("cargo", args, { cwd: source, signal });
  });
  return { path: join(folder, "target", profile, binary), compiler };
}

/** Copies a Node program and installs its dependencies, unless that was done for the same sources. Its main file is `main.mjs`. */
export async function installNodePeer(options: PeerBuildOptions): Promise<PeerProgram> {
  const { source, signal } = options;
  const folder = await buildOnce(options, [], async (target) => {
    const copy = join(target, "program");
    rmSync(copy, { recursive: true, force: true });
    cpSync(source, copy, { recursive: true });
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: copy, signal });
  });
  return { path: join(folder, "program", "main.mjs"), compiler: "" };
}

/** Installs a release of Node into the cache. Returns the path of its binary. */
export async function installNode(version: string, options: InstallOptions = {}): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const modules = await installTool({ name, version, folder: `node-${version}` }, options);
  return join(modules, name, "bin", "node");
}

/** A program in the npm registry that only tests and benchmarks use. */
export interface NpmTool {
  readonly name: string;
  readonly version: string;
  /** Folder inside the cache. Default: name and version. */
  readonly folder?: string;
}

type InstallOptions = Pick<PeerBuildOptions, "report" | "signal">;

/** Installs a program from the npm registry into the cache. Returns the path of the `node_modules` that contains it. */
export async function installTool(
  { name, version, folder: own = `${name}-${version}` }: NpmTool,
  { report = reportToStderr, signal }: InstallOptions = {},
): Promise<string> {
  const folder = join(cacheFolder(process.env), own);
  const modules = join(folder, "node_modules");
  if (existsSync(join(modules, name, "package.json"))) return modules;
  report(`downloading ${name} ${version}`);
  ensureFolder(folder);
  const flags = ["--ignore-scripts", "--no-save", "--no-package-lock", "--prefix", folder];
  await run("npm", ["install", ...flags, `${name}@${version}`], { cwd: folder, signal });
  return modules;
}

/** Returns the reason to skip a suite because a tool is not installed; undefined if it is. */
export async function whyNoTool(command: string, args: readonly string[]): Promise<string | undefined> {
  const { code } = await tryRun(command, args);
  return code === 0 ? undefined : `${command} is not installed`;
}

async function compilerVersion(
  command: string,
  args: readonly string[],
  toolchain: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { code, stdout } = await tryRun(command, args, { signal });
  if (code === 0) return stdout.trim();
  throw new ToolMissingError(
    `${toolchain} is not installed: "${command} ${args.join(" ")}" failed. Install ${toolchain}.`,
  );
}

/** Runs a build in its folder of the cache, unless its result exists. Returns the folder. */
export async function buildOnce(
  { source, name, report = reportToStderr, signal }: PeerBuildOptions,
  key: readonly string[],
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder(process.env), "peers", name);
  const mark = join(folder, "built-from");
  const expected = createHash("sha256")
    .update([...key, ...sourcesOf(source)].join("\0"))
    .digest("hex");
  const isBuilt = (): boolean => existsSync(mark) && readFileSync(mark, "utf8") === expected;
  if (isBuilt()) return folder;
  const lock = { what: `the build of ${name}`, waitMs: 60 * 60_000, signal };
  await withLock(`${folder}.lock`, lock, async () => {
    if (isBuilt()) return;
    report(`building ${name} (takes minutes the first time)`);
    // A failed build must not leave the mark of an earlier one on half a result.
    rmSync(mark, { force: true });
    ensureFolder(folder);
    await build(folder);
    writeFileSync(mark, expected);
  });
  return folder;
}

/** Returns the paths and contents of all files below a folder, in a stable order. */
function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => [path.slice(folder.length), readFileSync(path, "utf8")]);
}

function reportToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
