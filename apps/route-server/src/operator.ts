// The program: flags, permissions and the service that runs in every replica.

import { hostname } from "node:os";
import { join } from "node:path";
import { defineOperator, type Operator } from "@homeostat/operator";
import type { Service as ManagerService, ServiceTools } from "@homeostat/runtime";
import {
  ConfigSource,
  configWatch,
  routeServerDefinition,
  type RouteServerSettings,
} from "@homeostat/sandbox-operator";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { previewSettings } from "./feed/preview-settings.ts";
import { PublicKeys, publicKeyWatch } from "./observe/public-keys.ts";
import { type ListeningServers, RouteServer } from "./route-server.ts";
import type { StreamServer } from "./stream/stream-server.ts";

export interface RouteServerOperatorOptions {
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /** Called with the servers once they listen. */
  readonly onListening?: ((servers: ListeningServers) => void) | undefined;
}

/** Defines the route server as a program without controllers. */
export function routeServerOperator({ host, onListening }: RouteServerOperatorOptions = {}): Operator {
  return defineOperator({
    ...routeServerDefinition,
    services: (settings) => {
      const source = new ConfigSource();
      const keys = new PublicKeys();
      return [
        (tools) =>
          configWatch(tools, { source, namespace: systemNamespaceOf(settings, tools), name: settings.configMap }),
        (tools) => publicKeyWatch(tools, { keys, namespace: systemNamespaceOf(settings, tools) }),
        (tools) => routeServerService(tools, settings, { source, keys, host, onListening }),
      ];
    },
  });
}

/** Returns the namespace of the operator: that of this program, unless a flag says otherwise. */
function systemNamespaceOf({ systemNamespace }: RouteServerSettings, { namespace }: ServiceTools): string {
  return systemNamespace || namespace;
}

/** Interval at which the configuration is compared with the one that was sent. */
const configMs = 1_000;

function routeServerService(
  tools: ServiceTools,
  settings: RouteServerSettings,
  {
    source,
    keys,
    host,
    onListening,
  }: { readonly source: ConfigSource; readonly keys: PublicKeys } & RouteServerOperatorOptions,
): ManagerService {
  const systemNamespace = systemNamespaceOf(settings, tools);
  const { cache, unfencedClient: client, clock, random, log, registry } = tools;
  const server = new RouteServer({
    cache,
    client,
    clock,
    random,
    log,
    registry,
    streams: { host, port: settings.streamPort },
    queries: { host, port: settings.queryPort },
    systemNamespace,
    replica: settings.replica || hostname(),
    ownService: `${systemNamespace}/${settings.service}`,
  });
  return {
    name: "routes",
    when: "always",
    isReady: () => server.isReady,
    async run(signal) {
      let streams: StreamServer | undefined;
      const files = new CertificateFiles({
        certPath: join(settings.certDir, "tls.crt"),
        keyPath: join(settings.certDir, "tls.key"),
        clock,
        serve: (pair) => streams?.renew(pair),
        onProblem: (error) => log.warn("Failed to read certificate", { folder: settings.certDir, error }),
      });
      const certificate = await firstCertificate(files, { tools, folder: settings.certDir, signal });
      if (certificate === undefined) return;
      const ending = new AbortController();
      const until = AbortSignal.any([signal, ending.signal]);
      const following = Promise.all([files.run(until), followConfig(server, { source, keys, tools, signal: until })]);
      try {
        await server.run(signal, {
          certificate,
          onListening: (servers) => {
            streams = servers.streams;
            onListening?.(servers);
          },
        });
      } finally {
        ending.abort();
        await following;
      }
    },
  };
}

/** Waits for a pair of files that can be used; undefined if the signal aborts first. */
async function firstCertificate(
  files: CertificateFiles,
  {
    tools: { clock, log },
    folder,
    signal,
  }: {
    readonly tools: ServiceTools;
    readonly folder: string;
    readonly signal: AbortSignal;
  },
): Promise<KeyPair | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await files.sync();
    } catch (error) {
      if (attempt % 10 === 0) log.warn("Waiting for certificate", { folder, error });
    }
    await clock.sleep(1_000, signal).catch(() => undefined);
  }
  return undefined;
}

async function followConfig(
  { feed }: RouteServer,
  {
    source,
    keys,
    tools: { clock },
    signal,
  }: {
    readonly source: ConfigSource;
    readonly keys: PublicKeys;
    readonly tools: ServiceTools;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  while (!signal.aborted) {
    const { routing, preview } = source.current();
    feed.configure(routing);
    feed.configurePreview(previewSettings(preview, keys.keys));
    await clock.sleep(configMs, signal).catch(() => undefined);
  }
}
