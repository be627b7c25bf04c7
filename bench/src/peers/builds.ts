import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build as bundle } from "esbuild";
import type { PeerRuntime } from "./runtimes.ts";
import type { BenchContext } from "../harness/interruptible.ts";

/** A program with its leading arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** Versions it was built with, for the results. */
  readonly version: string;
}

/** Thrown when a tool that a runtime needs is not installed. The others can still run. */
export class MissingToolError extends Error {}

/** The Node release that our images ship and that .ci/run tests with. */
const newerNode = "24.21.0";

const peers = fileURLToPath(new URL("../../peers/", import.meta.url));

/** Builds a runtime with the usual package clients. Reuses an earlier build. */
export async function build(runtime: PeerRuntime, benchContext: BenchContext): Promise<Command> {
  switch (runtime.program) {
    case "homeostat": {
      const node = await nodeFor(runtime, benchContext);
      const program = await bundleProgram(entryOf(runtime), "runtime.mjs");
      const tree = runtime.root ?? "this tree";
      return { command: node.path, args: ["--expose-gc", program], version: `${tree}, Node ${node.version}` };
    }
    case "controller-runtime":
      return buildGo(benchContext);
    case "kube-rs":
      return buildRust(benchContext);
    case "client-node": {
      const node = await nodeFor(runtime, benchContext);
      const folder = await installClientNode(benchContext);
      const version = `@kubernetes/client-node ${versionIn(join(folder, "package.json"), /client-node": "([^"]+)"/)}`;
      const args = ["--expose-gc", join(folder, "main.mjs")];
      return { command: node.path, args, version: `${version}, Node ${node.version}` };
    }
  }
}

/** Returns the compiled program of a runtime built from this repository. */
function entryOf({ root }: PeerRuntime): URL {
  if (root === undefined) return new URL("./homeostat.js", import.meta.url);
  const path = resolve(root, "bench/dist/peers/homeostat.js");
  if (!existsSync(path))
    throw new MissingToolError(`${path} does not exist. Run "npm ci && npm run build" in ${root} first.`);
  return pathToFileURL(path);
}

/** Bundles a program into one file, as in the images. Always rebuilt, which is faster than checking whether it is up to date. */
export async function bundleProgram(entry: URL, name: string): Promise<string> {
  // In the folder of the compiled modules: the client resolves a library from there on first use.
  const outfile = fileURLToPath(new URL(name, entry));
  await bundle({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    // Minify whitespace, because Node keeps the source in memory; keep names, because errors and logs show them.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "error",
    // CommonJS packages load Node's built-in modules with require.
    banner: {
      js: 'import { createRequire as requireMaker } from "node:module"; const require = requireMaker(import.meta.url);',
    },
  });
  return outfile;
}

async function buildGo(benchContext: BenchContext): Promise<Command> {
  const source = join(peers, "controller-runtime");
  const folder = cacheFolder("controller-runtime");
  const program = join(folder, "runtime");
  const go = (await output("go", ["env", "GOVERSION"], "Go")).trim();
  await once({ folder, key: [go, ...sourcesOf(source)], benchContext, what: "controller-runtime" }, async () => {
    await run("go", ["build", "-trimpath", "-o", program, "."], source, benchContext);
  });
  const version = versionIn(join(source, "go.mod"), /controller-runtime (v\S+)/);
  return { command: program, args: [], version: `controller-runtime ${version}, ${go}` };
}

async function buildRust(benchContext: BenchContext): Promise<Command> {
  const source = join(peers, "kube-rs");
  const folder = cacheFolder("kube-rs");
  const rust = (await output("rustc", ["--version"], "Rust")).trim();
  await once({ folder, key: [rust, ...sourcesOf(source)], benchContext, what: "kube-rs" }, async () => {
    await run(
      "cargo",
      ["build", "--release", "--locked", "--target-dir", join(folder, "target")],
      source,
      benchContext,
    );
  });
  const version = versionIn(join(source, "Cargo.lock"), /name = "kube"\nversion = "([^"]+)"/);
  const program = join(folder, "target", "release", "bench-kube-rs");
  return { command: program, args: [], version: `kube ${version}, ${rust}` };
}

async function installClientNode(benchContext: BenchContext): Promise<string> {
  const source = join(peers, "client-node");
  const folder = join(cacheFolder("client-node"), "program");
  await once({ folder, key: sourcesOf(source), benchContext, what: "@kubernetes/client-node" }, async () => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(source, folder, { recursive: true });
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, benchContext);
  });
  return folder;
}

/** Returns the Node.js binary for a program, downloading it if needed. */
export async function nodeFor(
  { node }: Pick<PeerRuntime, "node">,
  benchContext: BenchContext,
): Promise<{ readonly path: string; readonly version: string }> {
  if (node !== "newer") return { path: process.execPath, version: process.versions.node };
  if (process.versions.node === newerNode) return { path: process.execPath, version: newerNode };
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cacheRoot(), `node-${newerNode}`);
  const path = join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(path)) {
    benchContext.report(`downloading Node ${newerNode}`);
    mkdirSync(folder, { recursive: true });
    const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, `${name}@${newerNode}`];
    await run("npm", args, folder, benchContext);
  }
  return { path, version: newerNode };
}

interface Build {
  readonly folder: string;
  /** Everything that determines the result. */
  readonly key: readonly string[];
  readonly benchContext: BenchContext;
  readonly what: string;
}

/** Runs the build unless its result already exists. */
async function once({ folder, key, benchContext, what }: Build, work: () => Promise<void>): Promise<void> {
  const mark = join(folder, "built-from");
  const expected = createHash("sha256").update(key.join("\0")).digest("hex");
  if (existsSync(mark) && readFileSync(mark, "utf8") === expected) return;
  benchContext.report(`building ${what} (takes minutes the first time)`);
  mkdirSync(folder, { recursive: true });
  await work();
  writeFileSync(mark, expected);
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => [path.slice(folder.length), readFileSync(path, "utf8")]);
}

function cacheFolder(name: string): string {
  return join(cacheRoot(), "bench", name);
}

function cacheRoot(): string {
  const { HOMEOSTAT_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  if (own !== undefined && own !== "") return resolve(own);
  return xdg !== undefined && isAbsolute(xdg) ? join(xdg, "homeostat") : join(homedir(), ".cache", "homeostat");
}

function versionIn(file: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(file, "utf8"))?.[1] ?? "?";
}

async function output(command: string, args: readonly string[], toolchain: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
    child.on("error", (cause) => reject(new MissingToolError(`${toolchain} is not installed`, { cause })));
    child.on("close", (code) =>
      code === 0 ? resolve(text) : reject(new MissingToolError(`${command} ${args.join(" ")} failed`)),
    );
  });
}

async function run(command: string, args: readonly string[], cwd: string, { signal }: BenchContext): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { cwd, signal, stdio: ["ignore", "pipe", "pipe"] });
    let tail = "";
    const keep = (piece: Buffer): void => {
      tail = (tail + piece.toString()).slice(-3000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (cause) => {
      if (signal.aborted) reject(cause);
      else reject(new MissingToolError(`cannot run ${command}: ${cause.message}`, { cause }));
    });
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0] ?? ""} failed with ${code}:\n${tail}`)),
    );
  });
}
