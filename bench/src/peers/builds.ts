import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildGoPeer, buildRustPeer, installNode, installNodePeer, ToolMissingError } from "@homeostat/kube";
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
      const source = join(peers, "client-node");
      const { path } = await installNodePeer({ source, name: "bench-client-node", ...benchContext });
      const version = `@kubernetes/client-node ${versionIn(join(source, "package.json"), /client-node": "([^"]+)"/)}`;
      const args = ["--expose-gc", path];
      return { command: node.path, args, version: `${version}, Node ${node.version}` };
    }
  }
}

/** Returns the compiled program of a runtime built from this repository. */
function entryOf({ root }: PeerRuntime): URL {
  if (root === undefined) return new URL("./homeostat.js", import.meta.url);
  const path = resolve(root, "bench/dist/peers/homeostat.js");
  if (!existsSync(path))
    throw new ToolMissingError(`${path} does not exist. Run "npm ci && npm run build" in ${root} first.`);
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
  const { path, compiler } = await buildGoPeer({ source, name: "bench-controller-runtime", ...benchContext });
  const version = versionIn(join(source, "go.mod"), /controller-runtime (v\S+)/);
  return { command: path, args: [], version: `controller-runtime ${version}, ${compiler}` };
}

async function buildRust(benchContext: BenchContext): Promise<Command> {
  const source = join(peers, "kube-rs");
  const options = { source, name: "bench-kube-rs", binary: "bench-kube-rs", profile: "release" } as const;
  const { path, compiler } = await buildRustPeer({ ...options, ...benchContext });
  const version = versionIn(join(source, "Cargo.lock"), /name = "kube"\nversion = "([^"]+)"/);
  return { command: path, args: [], version: `kube ${version}, ${compiler}` };
}

/** Returns the Node.js binary for a program, downloading it if needed. */
export async function nodeFor(
  { node }: Pick<PeerRuntime, "node">,
  benchContext: BenchContext,
): Promise<{ readonly path: string; readonly version: string }> {
  if (node !== "newer") return { path: process.execPath, version: process.versions.node };
  if (process.versions.node === newerNode) return { path: process.execPath, version: newerNode };
  return { path: await installNode(newerNode, benchContext), version: newerNode };
}

function versionIn(file: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(file, "utf8"))?.[1] ?? "?";
}
