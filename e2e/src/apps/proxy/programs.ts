// The client programs of other projects that this suite sends through the proxy.

import { join } from "node:path";
import { buildGoPeer, installNodePeer, whyNoTool } from "@homeostat/kube";
import { repository } from "../../harness/repository.ts";

const sources = join(repository, "e2e/clients");

/** Programs of Debian packages, and the argument that prints their version. */
const debianPrograms = {
  curl: "curl",
  nghttp: "nghttp2-client",
  h2load: "nghttp2-client",
  chromium: "chromium",
  go: "golang",
} as const;

/**
 * Returns the reason why a program cannot be run here, or undefined.
 *
 * Throws instead if `HOMEOSTAT_E2E_REQUIRED` is set: CI must not skip these suites.
 */
export async function whyNoProgram(...names: readonly (keyof typeof debianPrograms)[]): Promise<string | undefined> {
  for (const name of names) {
    if ((await whyNoTool(name, [name === "go" ? "version" : "--version"])) === undefined) continue;
    const message = `${name} is not installed; run: apt-get install ${debianPrograms[name]}`;
    if (process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) throw new Error(message);
    return message;
  }
  return undefined;
}

/** Builds the client and server of grpc-go. Returns the path of the program. */
export async function buildGrpcGo(): Promise<string> {
  return (await buildGoPeer({ source: join(sources, "proxy"), name: "proxy-grpc", package: "./grpc" })).path;
}

/** Builds h2spec, the conformance tests of HTTP/2. Returns the path of the program. */
export async function buildH2spec(): Promise<string> {
  return (await buildGoPeer({ source: join(sources, "proxy"), name: "proxy-h2spec", package: "./h2spec" })).path;
}

/** Installs the client of @grpc/grpc-js. Returns the path of its main file. */
export async function installGrpcJs(): Promise<string> {
  return (await installNodePeer({ source: join(sources, "grpc-js"), name: "grpc-js" })).path;
}
