// The program: flags, permissions and the service that runs in every replica.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { defineOperator, type Operator } from "@homeostat/operator";
import type { Service as ManagerService, ServiceTools } from "@homeostat/runtime";
import { ConfigSource, configWatch, tunnelDefinition, type TunnelSettings } from "@homeostat/sandbox-operator";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { TunnelServer } from "./tunnel-server.ts";

/** Options of {@link tunnelOperator}, for tests. */
export interface TunnelOperatorOptions {
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /** Called with the server and its port once it listens. */
  readonly onListening?: ((server: TunnelServer, port: number) => void) | undefined;
}

/** Defines the tunnel server as a program without controllers. */
export function tunnelOperator(options: TunnelOperatorOptions = {}): Operator {
  return defineOperator({
    ...tunnelDefinition,
    services: (settings) => {
      const source = new ConfigSource();
      return [
        (tools) => configWatch(tools, { source, namespace: tools.namespace, name: settings.configMap }),
        (tools) => tunnelService(tools, settings, { ...options, source }),
      ];
    },
  });
}

/** Time for the last status writes, after the time for draining. */
const statusMs = 5_000;

function tunnelService(
  { cache, unfencedClient: client, clock, serverClock, random, log, registry, namespace }: ServiceTools,
  settings: TunnelSettings,
  { host, onListening, source }: TunnelOperatorOptions & { readonly source: ConfigSource },
): ManagerService {
  const server = new TunnelServer({
    cache,
    client,
    clock,
    serverClock,
    random,
    randomBytes: (count) => randomBytes(count),
    log,
    registry,
    replica: settings.replica || hostname(),
    address: settings.address || firstAddress(),
    namespace,
    host,
    port: settings.clientPort,
    config: () => source.current().tunnel,
    drainMs: settings.drainSeconds * 1_000,
  });
  return {
    name: "tunnels",
    when: "always",
    isReady: () => server.isReady,
    stopMs: settings.drainSeconds * 1_000 + statusMs,
    async run(signal) {
      const files = new CertificateFiles({
        certPath: join(settings.certDir, "tls.crt"),
        keyPath: join(settings.certDir, "tls.key"),
        clock,
        serve: (pair) =>
          void withAuthority(pair, settings.certDir).then(
            (chain) => server.renew(chain),
            (error: unknown) => log.warn("Failed to read certificate", { folder: settings.certDir, error }),
          ),
        onProblem: (error) => log.warn("Failed to read certificate", { folder: settings.certDir, error }),
      });
      let certificate: KeyPair | undefined;
      for (let attempt = 0; certificate === undefined && !signal.aborted; attempt += 1) {
        try {
          certificate = await withAuthority(await files.sync(), settings.certDir);
        } catch (error) {
          if (attempt % 10 === 0) log.warn("Waiting for certificate", { folder: settings.certDir, error });
          await clock.sleep(1_000, signal).catch(() => undefined);
        }
      }
      if (certificate === undefined) return;
      const ending = new AbortController();
      const following = files.run(AbortSignal.any([signal, ending.signal]));
      try {
        await server.run(signal, { certificate, onListening: (port) => onListening?.(server, port) });
      } finally {
        ending.abort();
        await following;
      }
    },
  };
}

/** Returns a certificate with the authorities behind it: clients compare the authority with the pin of their LocalWorkload. */
async function withAuthority({ cert, key }: KeyPair, folder: string): Promise<KeyPair> {
  const authorities = await readFile(join(folder, "ca.crt"), "utf8");
  return { cert: `${cert.trimEnd()}\n${authorities}`, key };
}

/** Returns the first address of the machine that other machines reach. */
function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ internal, address }) => !internal && !address.startsWith("fe80:"))?.address ?? "127.0.0.1";
}
