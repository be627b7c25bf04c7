// Builds the client programs of other projects, which the suites run against both clusters.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildGoPeer, buildRustPeer, installNodePeer } from "@homeostat/kube";

/** Folder with the sources of the programs. */
export const sources: string = fileURLToPath(new URL("../../clients/", import.meta.url));

/** The oldest release of kubectl that Kubernetes supports with the version of the clusters. */
export const olderKubectl = "1.34.13";

/** Builds a program of the Go module, or its test binary. Returns its path. */
export async function buildGo(name: string, kind: "program" | "tests" = "program"): Promise<string> {
  const source = join(sources, "go");
  return (await buildGoPeer({ source, name: `go-${name}`, package: `./${name}`, isTest: kind === "tests" })).path;
}

/** Builds the older kubectl. Returns its path. */
export async function buildOlderKubectl(): Promise<string> {
  const [major = "", minor = ""] = olderKubectl.split(".");
  const variables = { gitVersion: `v${olderKubectl}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const source = join(sources, "kubectl");
  const linkFlags = `-s -w ${flags.join(" ")}`;
  return (await buildGoPeer({ source, name: `kubectl-${olderKubectl}`, linkFlags })).path;
}

/** Builds the program with yamux, the other end of a tunnel. Returns its path. */
export async function buildYamux(): Promise<string> {
  return (await buildGoPeer({ source: join(sources, "yamux"), name: "yamux" })).path;
}

/** Builds the kube-rs program. Returns its path. */
export async function buildRust(): Promise<string> {
  const source = join(sources, "rust");
  return (await buildRustPeer({ source, name: "rust-client", binary: "rust-client", profile: "debug" })).path;
}

/** Installs @kubernetes/client-node next to its program. Returns the path of the program. */
export async function installClientNode(): Promise<string> {
  return (await installNodePeer({ source: join(sources, "node"), name: "node-client" })).path;
}
