import { GoMissingError } from "../errors.ts";
import type { Environment } from "../cache/paths.ts";
import { run, tryRun } from "../processes/run.ts";
import { versions } from "../versions.ts";

/** Returns the problem with the installed Go as a sentence, or undefined. */
export function goProblem(version: string | undefined, toolchain: string): string | undefined {
  const remedy = `Install Go ${versions.go} or newer, or set KUBEBUILDER_ASSETS to a folder with built binaries.`;
  if (version === undefined) return `The go command, which builds Kubernetes, is not on the PATH. ${remedy}`;
  if (!isOlder(version, versions.go)) return undefined;
  // Since 1.21, Go downloads a newer version of itself when a module requires it, unless GOTOOLCHAIN=local.
  if (!isOlder(version, "1.21") && toolchain !== "local") return undefined;
  return `Go ${version} is too old to build Kubernetes ${versions.kubernetes}. ${remedy}`;
}

/** Checks the `go` command of this machine. Returns the problem or undefined. */
export async function findGoProblem(env: Environment, signal?: AbortSignal): Promise<string | undefined> {
  const result = await tryRun("go", ["env", "GOVERSION", "GOTOOLCHAIN"], { env, signal });
  if (result.code !== 0) return goProblem(undefined, "");
  const [version = "", toolchain = ""] = result.stdout.split("\n");
  return goProblem(version.replace(/^go/, "").trim(), toolchain.trim());
}

/** Throws {@link GoMissingError} if the installed Go cannot build Kubernetes. */
export async function requireGo(env: Environment, signal?: AbortSignal): Promise<void> {
  const problem = await findGoProblem(env, signal);
  if (problem !== undefined) throw new GoMissingError(problem);
}

/** Runs the go command. */
export async function go(
  args: readonly string[],
  options: { cwd: string; env: Environment; signal?: AbortSignal | undefined },
): Promise<string> {
  // Static binaries without cgo, without VCS information of a surrounding repository, without a vendor folder.
  const env = { ...options.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=mod", GOWORK: "off" };
  return run("go", args, { cwd: options.cwd, env, signal: options.signal });
}

/** Reports whether version `a` is older than `b`; both look like `"1.26"` or `"1.26.3"`. */
function isOlder(a: string, b: string): boolean {
  const parts = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < right.length; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
