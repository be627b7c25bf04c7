import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { NodeRequirementsError } from "../errors.ts";
import type { Environment } from "../cache/paths.ts";
import { run } from "../processes/run.ts";

/** A Debian package and a check whether it is installed. */
interface Package {
  readonly name: string;
  readonly command?: string;
  readonly file?: string;
}

const nodePackages: readonly Package[] = [
  { name: "containerd", command: "containerd" },
  { name: "runc", command: "runc" },
  { name: "iproute2", command: "ip" },
  { name: "iptables", command: "iptables" },
  { name: "nftables", command: "nft" },
  { name: "conntrack", command: "conntrack" },
  { name: "containernetworking-plugins", file: "/usr/lib/cni/ptp" },
  { name: "util-linux", command: "nsenter" },
];

const imagePackages: readonly Package[] = [
  { name: "debootstrap", command: "debootstrap" },
  { name: "python3-pip", command: "pip" },
];

/** A purpose with requirements. */
export type Purpose = "node" | "base image";

/** Options of the check. */
export interface RequirementOptions {
  readonly env: Environment;
  /** Installs missing packages instead of reporting them. */
  readonly install: boolean;
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Throws {@link NodeRequirementsError} with a sentence about what is missing, unless everything is installed. */
export async function requireMachine(purpose: Purpose, options: RequirementOptions): Promise<void> {
  const problem = platformProblem(purpose, process.platform, process.getuid?.());
  if (problem !== undefined) throw new NodeRequirementsError(problem);
  const missing = missingPackages(purpose, options.env);
  if (missing.length === 0) return;
  if (!options.install) throw new NodeRequirementsError(packagesSentence(purpose, missing));
  options.report(`installing ${missing.join(" ")}`);
  const env = { ...options.env, DEBIAN_FRONTEND: "noninteractive" };
  const { signal } = options;
  const install = ["install", "-y", "-q", "--no-install-recommends", ...missing];
  try {
    await run("apt-get", install, { env, signal });
  } catch {
    // Package lists may be outdated, or missing on a fresh machine.
    signal?.throwIfAborted();
    await run("apt-get", ["update", "-q"], { env, signal });
    await run("apt-get", install, { env, signal });
  }
}

/** Returns the reason why the platform or user does not suffice, or undefined. */
export function platformProblem(purpose: Purpose, platform: string, uid: number | undefined): string | undefined {
  if (platform !== "linux")
    return `A ${purpose} needs Linux; this system can run only the control plane (npm run kube -- up).`;
  if (uid !== 0)
    return `A ${purpose} needs root: run the same command as root, or use the control plane alone (npm run kube -- up).`;
  return undefined;
}

/** Returns the packages whose programs are missing. */
export function missingPackages(purpose: Purpose, env: Environment): string[] {
  return (purpose === "node" ? nodePackages : imagePackages)
    .filter(
      ({ command, file }) =>
        (command !== undefined && !hasCommand(command, env)) || (file !== undefined && !existsSync(file)),
    )
    .map(({ name }) => name);
}

/** Returns a sentence with the missing packages and the command that installs them. */
export function packagesSentence(purpose: Purpose, missing: readonly string[]): string {
  return `A ${purpose} needs ${missing.join(", ")}; run: apt-get install -y ${missing.join(" ")} (or repeat the command with --install).`;
}

/** Reports whether a command is on the PATH. */
export function hasCommand(command: string, env: Environment): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
