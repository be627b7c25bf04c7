// A running Envoy, with its resources from files or from a discovery server.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { envoyBootstrap, type EnvoySource } from "@homeostat/sandbox-operator/internal";
import { eventually } from "./eventually.ts";

/** Options of an Envoy process. */
export interface EnvoyOptions {
  readonly binary: string;
  /** Folder for the files of this process. */
  readonly folder: string;
  readonly dnsPort: number;
  /** Source of its resources, or its whole configuration as YAML. */
  readonly source: EnvoySource | { readonly bootstrap: string };
}

/** An Envoy process. */
export class EnvoyProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #log = "";

  constructor({ binary, folder, dnsPort, source }: EnvoyOptions) {
    const config = join(folder, "bootstrap" in source ? "bootstrap.yaml" : "bootstrap.json");
    const rendered = (from: EnvoySource): string =>
      JSON.stringify({
        ...envoyBootstrap({ nodeId: "equivalence", source: from, adminPort: 0 }),
        ...resolver(dnsPort),
      });
    writeFileSync(config, "bootstrap" in source ? source.bootstrap : rendered(source));
    const addresses = ["--admin-address-path", join(folder, "admin-address")];
    const names = "bootstrap" in source ? ["--service-node", "envoy-1", "--service-cluster", "sandbox"] : [];
    const limits = ["--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"];
    this.#child = spawn(binary, ["--config-path", config, ...addresses, ...names, ...limits], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#log += chunk.toString()));
    this.#folder = folder;
  }

  /** Warnings and errors of the process. */
  get log(): string {
    return this.#log;
  }

  /** Waits until Envoy is ready and listens for all listeners of these names. Returns their ports. */
  async listening(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return eventually("the listeners of Envoy", async () => {
      if (this.#child.exitCode !== null)
        throw new Error(`Envoy has ended with code ${this.#child.exitCode}: ${this.#log}`);
      if (!(await this.admin("/ready")).startsWith("LIVE")) return undefined;
      const ports = portsIn(await this.admin("/listeners?format=json"));
      return names.every((name) => ports.has(name)) ? ports : undefined;
    });
  }

  /** Sends a request to the administration port. Returns an empty text while Envoy does not listen. */
  async admin(path: string): Promise<string> {
    const [host, port] = addressIn(join(this.#folder, "admin-address"));
    if (port === undefined) return "";
    return new Promise((resolve) => {
      const sent = request({ host, port, path, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
      });
      sent.on("error", () => resolve(""));
      sent.end();
    });
  }

  /** Returns the value of a counter. */
  async counter(name: string): Promise<number> {
    const text = await this.admin(`/stats?filter=^${name.replaceAll(".", String.raw`\.`)}$`);
    return Number(/: (\d+)/.exec(text)?.[1] ?? "0");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}

/** Resolves names with our server. */
function resolver(port: number): object {
  return {
    typed_dns_resolver_config: {
      name: "envoy.network.dns_resolver.cares",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
        resolvers: [{ socket_address: { address: "127.0.0.1", port_value: port } }],
        dns_resolver_options: { no_default_search_domain: true },
      },
    },
  };
}

function addressIn(file: string): readonly [host: string, port: number | undefined] {
  try {
    const [host = "", port] = readFileSync(file, "utf8").trim().split(":");
    return [host, port === undefined ? undefined : Number(port)];
  } catch {
    return ["", undefined];
  }
}

function portsIn(text: string): ReadonlyMap<string, number> {
  if (text === "") return new Map();
  const { listener_statuses: statuses = [] } = JSON.parse(text) as {
    listener_statuses?: readonly {
      readonly name: string;
      readonly local_address: { readonly socket_address: { readonly port_value: number } };
    }[];
  };
  return new Map(statuses.map(({ name, local_address: at }) => [name, at.socket_address.port_value]));
}
