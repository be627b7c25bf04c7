// The program: flags, permissions and the service that runs in every replica.

import { hostname } from "node:os";
import { join } from "node:path";
import { TokenReview } from "@homeostat/kubernetes/authentication/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { defineOperator, type Operator } from "@homeostat/operator";
import type { Service as ManagerService, ServiceTools } from "@homeostat/runtime";
import {
  ConfigSource,
  configWatch,
  RouteGroup,
  RouteTable,
  Sandbox,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { RouteServer } from "./route-server.ts";
import { routeServerFlags, type RouteServerSettings } from "./settings/flags.ts";
import type { StreamServer } from "./stream/stream-server.ts";

/** Defines the route server as a program without controllers. */
export function routeServerOperator(): Operator {
  return defineOperator({
    name: "sandbox-route-server",
    description: "Sends the route tables of sandbox environments to proxies and counts the proxies that use them.",
    uses: [RouteTable, Sandbox, RouteGroup],
    flags: routeServerFlags,
    installation: { namespace: systemNamespace },
    services: (settings) => {
      const source = new ConfigSource();
      return [
        (tools) => configWatch(tools, { source, namespace: settings.systemNamespace, name: settings.configMap }),
        (tools) => routeServerService(tools, settings, source),
      ];
    },
    access: ({ configMap }) => [
      { type: RouteTable, verbs: ["list", "watch"] },
      { type: RouteTable, subresource: "status", verbs: ["patch"] },
      { type: Service, verbs: ["list", "watch"] },
      { type: EndpointSlice, verbs: ["list", "watch"] },
      { type: Sandbox, verbs: ["list", "watch"] },
      { type: RouteGroup, verbs: ["list", "watch"] },
      { type: TokenReview, verbs: ["create"] },
      { type: ConfigMap, verbs: ["list", "watch"], names: [configMap] },
    ],
  });
}

/** Interval at which the configuration is compared with the one that was sent. */
const configMs = 1_000;

function routeServerService(tools: ServiceTools, settings: RouteServerSettings, source: ConfigSource): ManagerService {
  const { cache, unfencedClient: client, clock, random, log, registry } = tools;
  const server = new RouteServer({
    cache,
    client,
    clock,
    random,
    log,
    registry,
    streams: { port: settings.streamPort },
    queries: { port: settings.queryPort },
    systemNamespace: settings.systemNamespace,
    replica: settings.replica || hostname(),
    ownService: `${settings.systemNamespace}/${settings.service}`,
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
      const following = Promise.all([files.run(until), followConfig(server, { source, tools, signal: until })]);
      try {
        await server.run(signal, { certificate, onListening: (servers) => (streams = servers.streams) });
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
    tools: { clock },
    signal,
  }: {
    readonly source: ConfigSource;
    readonly tools: ServiceTools;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  while (!signal.aborted) {
    feed.configure(source.current().routing);
    await clock.sleep(configMs, signal).catch(() => undefined);
  }
}
