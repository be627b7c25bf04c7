import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build as bundle } from "esbuild";
import type { Contestant } from "./contestants.ts";
import type { BenchContext } from "../harness/interruptible.ts";

/** A program and its first arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** With which versions it was made, for the record. */
  readonly version: string;
}

/** Something that a contestant needs is not there; the others can run. */
export class MissingToolError extends Error {}

/** The Node release that our images ship and that .ci/run tests with. */
const newerNode = "24.21.0";

const peers = fileURLToPath(new URL("../../peers/", import.meta.url));

/** Makes a contestant ready to run, through the ordinary package clients. What was built before is used again. */
export async function build(contestant: Contestant, benchContext: BenchContext): Promise<Command> {
  switch (contestant.program) {
    case "homeostat": {
      const node = await nodeFor(contestant, benchContext);
      const program = await bundleProgram(entryOf(contestant), "contestant.mjs");
      const tree = contestant.root ?? "this tree";
      return { command: node.path, args: ["--expose-gc", program], version: `${tree}, Node ${node.version}` };
    }
    case "controller-runtime":
      return buildGo(benchContext);
    case "kube-rs":
      return buildRust(benchContext);
    case "client-node": {
      const node = await nodeFor(contestant, benchContext);
      const folder = await installClientNode(benchContext);
      const version = `@kubernetes/client-node ${versionIn(join(folder, "package.json"), /client-node": "([^"]+)"/)}`;
      const args = ["--expose-gc", join(folder, "main.mjs")];
      return { command: node.path, args, version: `${version}, Node ${node.version}` };
    }
  }
}

/** Returns the compiled program of a contestant made of this repository. */
function entryOf({ root }: Contestant): URL {
  if (root === undefined) return new URL("./homeostat.js", import.meta.url);
  const path = resolve(root, "bench/dist/peers/homeostat.js");
  if (!existsSync(path))
    throw new MissingToolError(`${path} does not exist. Run "npm ci && npm run build" in ${root} first.`);
  return pathToFileURL(path);
}

/** One file, as our images have it; made anew every time, which takes less than finding out whether it has to be. */
export async function bundleProgram(entry: URL, name: string): Promise<string> {
  // Beside the compiled modules: the client loads a library from the repository on first use.
  const outfile = fileURLToPath(new URL(name, entry));
  await bundle({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    // The text stays in memory. Names stay what they are: errors and logs show them.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "error",
    // Packages from before ES modules ask for Node's own by require.
    banner: {
      js: 'import { createRequire as requireMaker } from "node:module"; const require = requireMaker(import.meta.url);',
    },
  });
  return outfile;
}

async function buildGo(benchContext: BenchContext): Promise<Command> {
  const source = join(peers, "controller-runtime");
  const folder = cacheFolder("controller-runtime");
  const program = join(folder, "contestant");
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

/** The Node that a program of ours is measured with. */
export async function nodeFor(
  { node }: Pick<Contestant, "node">,
  benchContext: BenchContext,
): Promise<{ readonly path: string; readonly version: string }> {
  if (node !== "newer") return { path: process.execPath, version: process.versions.node };
  if (process.versions.node === newerNode) return { path: process.execPath, version: newerNode };
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cacheRoot(), `node-${newerNode}`);
  const path = join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(path)) {
    benchContext.report(`fetching Node ${newerNode}`);
    mkdirSync(folder, { recursive: true });
    const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, `${name}@${newerNode}`];
    await run("npm", args, folder, benchContext);
  }
  return { path, version: newerNode };
}

interface Build {
  readonly folder: string;
  /** Everything the result follows from. */
  readonly key: readonly string[];
  readonly benchContext: BenchContext;
  readonly what: string;
}

/** Does the work unless its result is there already. */
async function once({ folder, key, benchContext, what }: Build, work: () => Promise<void>): Promise<void> {
  const mark = join(folder, "built-from");
  const wanted = createHash("sha256").update(key.join("\0")).digest("hex");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  benchContext.report(`building ${what} (minutes the first time)`);
  mkdirSync(folder, { recursive: true });
  await work();
  writeFileSync(mark, wanted);
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
      else reject(new MissingToolError(`${command} cannot be run: ${cause.message}`, { cause }));
    });
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0] ?? ""} failed with ${code}:\n${tail}`)),
    );
  });
}
