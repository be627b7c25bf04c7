import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Binary, fileOf, missingBinaries } from "./binaries.ts";
import { CommandFailedError } from "../errors.ts";
import { go, requireGo } from "./go.ts";
import { withLock } from "../processes/lock.ts";
import { type Environment, binariesFolder, cacheFolder, ensureFolder } from "../cache/paths.ts";
import { list, parseJson, text } from "../cache/shape.ts";
import { monotonicMs, repeat } from "../processes/time.ts";
import { versions } from "../versions.ts";

/** A Go module with main packages to build. */
interface Source {
  readonly module: string;
  readonly version: string;
  /** Returns the import path of a binary's main package. */
  readonly mainPackage: (binary: Binary) => string;
  readonly linkFlags: string;
}

const minor = versions.kubernetes.split(".")[1] ?? "";
const versionPackage = "k8s.io/component-base/version";

const kubernetes: Source = {
  module: "k8s.io/kubernetes",
  version: `v${versions.kubernetes}`,
  mainPackage: (binary) => `k8s.io/kubernetes/cmd/${binary}`,
  linkFlags: `-s -w -X ${versionPackage}.gitVersion=v${versions.kubernetes} -X ${versionPackage}.gitMajor=1 -X ${versionPackage}.gitMinor=${minor}`,
};
const etcd: Source = {
  module: "go.etcd.io/etcd/server/v3",
  version: `v${versions.etcd}`,
  mainPackage: () => "go.etcd.io/etcd/server/v3",
  linkFlags: "-s -w",
};
const coredns: Source = {
  module: "github.com/coredns/coredns",
  version: `v${versions.coredns}`,
  mainPackage: () => "github.com/coredns/coredns",
  linkFlags: "-s -w",
};

const helmVersionPackage = "helm.sh/helm/v3/internal/version";
const helmCapabilities = "helm.sh/helm/v3/pkg/chartutil";
const helm: Source = {
  module: "helm.sh/helm/v3",
  version: `v${versions.helm}`,
  mainPackage: () => "helm.sh/helm/v3/cmd/helm",
  // Without the last two flags, Helm assumes Kubernetes 1.20 when it is not connected to a cluster.
  linkFlags: `-s -w -X ${helmVersionPackage}.version=v${versions.helm} -X ${helmCapabilities}.k8sVersionMajor=1 -X ${helmCapabilities}.k8sVersionMinor=${minor}`,
};

function sourceOf(binary: Binary): Source {
  if (binary === "etcd") return etcd;
  if (binary === "helm") return helm;
  return binary === "coredns" ? coredns : kubernetes;
}

/** Options of a build. */
export interface BuildOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
  /** Called with a line of progress. */
  readonly report: (line: string) => void;
}

/**
 * Builds the missing binaries. Returns the folder that contains all of them.
 *
 * Each binary is built under a temporary name and renamed, so that a file with its final name is complete. Only one process builds
 * at a time; others wait and then find everything built.
 */
export async function build(wanted: readonly Binary[], options: BuildOptions): Promise<string> {
  const { env, signal, report } = options;
  const folder = binariesFolder(env);
  if (missingBinaries(folder, wanted).length === 0) return folder;
  await requireGo(env, signal);
  ensureFolder(folder);
  const lock = {
    what: "the build",
    waitMs: 60 * 60_000,
    signal,
    onWait: (pid: number) => {
      report(`process ${pid} is already building; waiting for it`);
    },
  };
  return withLock(join(cacheFolder(env), "build.lock"), lock, async () => {
    removeLeftovers(folder);
    const missing = missingBinaries(folder, wanted);
    const workspaces = new Map<Source, string>();
    try {
      for (const [index, binary] of missing.entries()) {
        const source = sourceOf(binary);
        const label = `${binary} ${source.version} (${index + 1} of ${missing.length})`;
        await timed(label, report, async () => {
          const workspace = workspaces.get(source) ?? (await prepare(source, options));
          workspaces.set(source, workspace);
          await buildOne({ binary, source, workspace, folder, options });
        });
      }
    } finally {
      for (const workspace of workspaces.values()) rmSync(workspace, { recursive: true, force: true });
    }
    return folder;
  });
}

const temporaryPrefix = ".building-";

/** Removes leftovers of killed builds. The caller must hold the lock. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(temporaryPrefix)) rmSync(join(folder, name), { force: true });
  }
  const parent = dirname(dirname(folder));
  for (const name of readdirSync(parent)) {
    if (name.startsWith(temporaryPrefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Creates a temporary module that requires the source, so that its main packages can be built by import path. */
async function prepare(source: Source, { env, signal }: BuildOptions): Promise<string> {
  const cwd = mkdtempSync(join(cacheFolder(env), temporaryPrefix));
  const lines = ["module build", `go ${versions.go}`, `require ${source.module} ${source.version}`];
  writeFileSync(join(cwd, "go.mod"), `${lines.join("\n")}\n`);
  if (source === kubernetes) {
    const download = parseJson(
      await go(["mod", "download", "-json", `${source.module}@${source.version}`], { cwd, env, signal }),
    );
    const goMod = text(download, "GoMod");
    if (goMod === undefined) throw new CommandFailedError(`go mod download returned no path for ${source.module}.`);
    const described = parseJson(await go(["mod", "edit", "-json", goMod], { cwd, env, signal }));
    writeFileSync(join(cwd, "go.mod"), `${[...lines, ...stagingReplacements(described)].join("\n")}\n`);
  }
  return cwd;
}

/**
 * Returns the directives that point the staging modules of Kubernetes at their published releases.
 *
 * The go.mod of Kubernetes requires version 0.0.0 of each and replaces it by a folder of its own repository. Release 1.x.y of
 * Kubernetes matches 0.x.y of each. The `require` puts the true version into the binary.
 */
export function stagingReplacements(goMod: unknown): string[] {
  const release = `v0.${versions.kubernetes.split(".").slice(1).join(".")}`;
  const paths = list(goMod, "Require")
    .filter((entry) => text(entry, "Version") === "v0.0.0")
    .flatMap((entry) => text(entry, "Path") ?? []);
  return paths.flatMap((path) => [`require ${path} ${release}`, `replace ${path} => ${path} ${release}`]);
}

async function buildOne(job: {
  binary: Binary;
  source: Source;
  workspace: string;
  folder: string;
  options: BuildOptions;
}): Promise<void> {
  const { binary, source, workspace, folder, options } = job;
  const temporary = join(folder, `${temporaryPrefix}${binary}-${process.pid}`);
  try {
    const args = ["build", "-trimpath", `-ldflags=${source.linkFlags}`, "-o", temporary, source.mainPackage(binary)];
    await go(args, { cwd: workspace, env: options.env, signal: options.signal });
    renameSync(temporary, join(folder, fileOf(binary)));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Reports the start of a build, its progress every half minute, and its duration. */
async function timed(what: string, report: (line: string) => void, work: () => Promise<void>): Promise<void> {
  const started = monotonicMs();
  const seconds = (): string => `${Math.round((monotonicMs() - started) / 1000)} s`;
  report(`building ${what}`);
  const stopTelling = repeat(30_000, () => {
    report(`  still building ${what}: ${seconds()}`);
  });
  try {
    await work();
  } finally {
    stopTelling();
  }
  report(`  built ${what} in ${seconds()}`);
}
