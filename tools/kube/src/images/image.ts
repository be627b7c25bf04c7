import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "@homeostat/core";
import { type ImageSpec, packImages } from "./archive.ts";
import { ClusterStateError } from "../errors.ts";
import { go, requireGo } from "../builds/go.ts";
import { withLock } from "../processes/lock.ts";
import { type Ctr, ctrsOf } from "../nodes/node.ts";
import { pauseImage } from "../nodes/node-config.ts";
import { type Environment, ensureFolder, imagesFolder } from "../cache/paths.ts";
import { identify } from "../processes/process-identity.ts";
import { requireMachine } from "../nodes/requirements.ts";
import { commandFailed, run } from "../processes/run.ts";
import { readRecord, clusterState } from "../records/state.ts";
import { writeTar } from "./tar.ts";
import { monotonicMs } from "../processes/time.ts";
import { versions } from "../versions.ts";

/** Options of building an image. */
export interface ImageOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
  readonly report: (line: string) => void;
}

/** Returns the `ctr` commands of the nodes of a running cluster. Throws {@link ClusterStateError} if it has none. */
export function nodesOf(name: string, { env, signal }: ImageOptions): Ctr[] {
  const record = readRecord(env, name);
  if (record !== undefined && record.kind === "node" && clusterState(record) === "running")
    return ctrsOf(record, signal);
  throw new ClusterStateError(
    `Cluster ${name} is not running with a node. Start it: npm run kube -- node --name ${name}`,
  );
}

/** Imports the sandbox image into nodes: a program that waits for a signal. */
export async function importPause(nodes: readonly Ctr[], options: ImageOptions): Promise<void> {
  await importArchive(nodes, await makePause(options));
}

/** Builds the sandbox image once. */
export async function makePause(options: ImageOptions): Promise<string> {
  const { env, signal } = options;
  const archive = join(ensureFolder(imagesFolder(env)), `pause-1-${process.arch}.tar`);
  return makeOnce(archive, options, async (work) => {
    await requireGo(env, signal);
    writeFileSync(join(work, "go.mod"), `module pause\ngo ${versions.go}\n`);
    writeFileSync(join(work, "main.go"), pauseSource);
    await go(["build", "-trimpath", "-ldflags=-s -w", "-o", "pause", "."], { cwd: work, env, signal });
    const layerPath = join(work, "layer.tar");
    await writeTar(layerPath, [{ name: "pause", file: join(work, "pause"), mode: 0o755 }], signal);
    await packImages(archive, {
      layerPath,
      images: [{ names: [pauseImage], entrypoint: ["/pause"], cmd: [] }],
      signal,
    });
  });
}

// As the first process of a pod with a shared process namespace, it must also reap zombies.
const pauseSource = `package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	child := make(chan os.Signal, 1)
	signal.Notify(child, syscall.SIGCHLD)
	for {
		select {
		case <-stop:
			return
		case <-child:
			for {
				if pid, _ := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 {
					break
				}
			}
		}
	}
}
`;

/** Imports Locust, Redis and Node.js into nodes, as images with the names of the official ones. */
export async function importBase(nodes: readonly Ctr[], options: ImageOptions & { install: boolean }): Promise<void> {
  await importArchive(nodes, await makeBase(options));
}

/** Builds one Debian layer with Python, Locust, Redis and the Node.js of this machine, once. */
export async function makeBase(options: ImageOptions & { install: boolean }): Promise<string> {
  const { env, signal, report } = options;
  const key = `base-2-bookworm-locust-${versions.locust}-node-${process.versions.node}-${process.arch}`;
  const archive = join(ensureFolder(imagesFolder(env)), `${key}.tar`);
  return makeOnce(archive, options, async (work) => {
    await requireMachine("base image", options);
    const root = join(work, "root");
    const started = monotonicMs();
    const step = (what: string): void => {
      report(`base image: ${what} (${Math.round((monotonicMs() - started) / 1000)} s)`);
    };
    step("Debian with Python and Redis");
    const packages = "--include=python3,redis-server,redis-tools,ca-certificates,curl,iproute2";
    // In its own mount namespace: it mounts into the folder, and an interrupted one would leave these mounts behind.
    const debootstrap = ["debootstrap", "--variant=minbase", packages, "bookworm", root];
    await run("unshare", ["--mount", "--propagation=private", ...debootstrap], { env, signal });
    step(`Locust ${versions.locust}`);
    const wheels = ["--python-version=3.11", "--only-binary=:all:", "--no-compile", `--target=${root}/opt/locust`];
    const quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
    await run("pip", ["install", ...quiet, ...wheels, `locust==${versions.locust}`], { env, signal });
    // Compiled by the Python that will run it: without bytecode, Locust takes four times as long to start.
    await run("chroot", [root, "python3", "-m", "compileall", "-q", "/opt/locust"], { env, signal });
    script(join(root, "usr/local/bin/locust"), 'PYTHONPATH=/opt/locust exec python3 -m locust "$@"');
    copyFileSync(process.execPath, join(root, "usr/local/bin/node"));
    for (const folder of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"]) {
      rmSync(join(root, folder), { recursive: true, force: true });
    }
    step("packing");
    await packFolder(archive, { root, work, images: baseImages(), signal });
  });
}

/**
 * Builds an archive unless it exists. Returns its path.
 *
 * Suites run in parallel: one process builds the archive, and the others wait for it instead of reading an incomplete file.
 */
async function makeOnce(
  archive: string,
  options: ImageOptions,
  make: (work: string) => Promise<void>,
): Promise<string> {
  const lock = { what: `the image ${archive}`, waitMs: 30 * 60_000, signal: options.signal };
  return withLock(`${archive}.lock`, lock, async () => {
    if (!existsSync(archive)) await inWorkFolder(options, make);
    return archive;
  });
}

function baseImages(): ImageSpec[] {
  const [major = ""] = process.versions.node.split(".");
  const locust = [versions.locust, "latest"].map((tag) => `docker.io/locustio/locust:${tag}`);
  const node = [...new Set(["20", major])].map((tag) => `docker.io/library/node:${tag}`);
  return [
    { names: locust, entrypoint: ["locust"], cmd: [] },
    { names: ["docker.io/library/redis:7"], entrypoint: [], cmd: ["redis-server"] },
    { names: node, entrypoint: [], cmd: ["node"] },
  ];
}

/** Imports a folder into nodes as an image of one layer. */
export async function importFolder(
  nodes: readonly Ctr[],
  folder: string,
  image: ImageSpec,
  options: ImageOptions,
): Promise<void> {
  const root = resolve(folder);
  if (!existsSync(root) || !statSync(root).isDirectory()) throw new UsageError(`${folder} is not a folder.`);
  await inWorkFolder(options, async (work) => {
    const archive = join(work, "image.tar");
    await packFolder(archive, { root, work, images: [image], signal: options.signal });
    await importArchive(nodes, archive);
  });
}

async function packFolder(
  archive: string,
  {
    root,
    work,
    images,
    signal,
  }: { root: string; work: string; images: readonly ImageSpec[]; signal: AbortSignal | undefined },
): Promise<void> {
  const layerPath = join(work, "layer.tar");
  await run("tar", ["--sort=name", "--numeric-owner", "-C", root, "-cf", layerPath, "."], { signal });
  await packImages(archive, { layerPath, images, signal });
}

async function importArchive(nodes: readonly Ctr[], archive: string): Promise<void> {
  for (const ctr of nodes) {
    const result = await ctr(["images", "import", archive]);
    if (result.code !== 0) throw commandFailed(`ctr images import ${archive}`, result);
  }
}

async function inWorkFolder<T>({ env }: ImageOptions, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = ensureFolder(imagesFolder(env));
  for (const name of readdirSync(parent)) {
    // The folder of killed work is named after a process that has exited.
    const [, pid] = /^\.work-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && identify(Number(pid)) === undefined)
      rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(parent, `.work-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function script(path: string, body: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}
