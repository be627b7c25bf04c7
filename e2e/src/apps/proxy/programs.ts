// The client programs of other projects that this suite sends through the proxy.

import { join } from "node:path";
import { buildGoPeer, installNodePeer } from "@homeostat/kube";
import { repository } from "../../harness/repository.ts";

const sources = join(repository, "e2e/clients");

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
