// The proxies that the suite compares: ours with both engines, and three others. Each has one listener per lane.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { NetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@homeostat/operator-testing";
import type { RouteTable } from "@homeostat/routing";
import { BackgroundProgram } from "../../../harness/background-program.ts";
import { startRoutingProxy } from "../../../harness/routing-proxy.ts";
import { installEnvoy } from "../../../operators/sandbox/envoy/install-envoy.ts";
import { Lane } from "./lane.ts";

/** Names of the proxies. `safe` is our program on Node's parser, llhttp. */
export const peerNames = ["safe", "nginx", "haproxy", "envoy"] as const;
export type PeerName = (typeof peerNames)[number];
export type SubjectName = "fast" | PeerName;

/** A running proxy with its lanes. */
export interface Subject extends AsyncDisposable {
  readonly name: SubjectName;
  readonly lanes: readonly Lane[];
}

/** Starts a proxy with a number of lanes. */
export async function startSubject(name: SubjectName, count: number): Promise<Subject> {
  const lanes = Array.from({ length: count }, () => new Lane());
  const upstreams = await Promise.all(lanes.map((lane) => lane.start()));
  const folder = mkdtempSync(join(tmpdir(), `differential-${name}-`));
  const { program, addresses } = await start(name, upstreams, folder);
  for (const [index, lane] of lanes.entries()) lane.use(addresses[index] ?? { port: 0 });
  return {
    name,
    lanes,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      for (const lane of lanes) await lane[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly program: AsyncDisposable;
  readonly addresses: readonly NetConnectOpts[];
}

async function start(name: SubjectName, upstreams: readonly number[], folder: string): Promise<Started> {
  if (name === "fast" || name === "safe") {
    const ports = await freePorts(upstreams.length);
    const tables = upstreams.map((upstream, index) => tableOf(index, ports[index] ?? 0, upstream));
    return {
      program: await startRoutingProxy({ tables, engine: name }),
      addresses: ports.map((port) => ({ host: "127.0.0.1", port })),
    };
  }
  const sockets = upstreams.map((_, index) => join(folder, `${index}.sock`));
  const config = join(folder, "config");
  const texts = { nginx: nginxConfig, haproxy: haproxyConfig, envoy: envoyConfig };
  const file = name === "envoy" ? `${config}.json` : config;
  writeFileSync(file, texts[name]({ upstreams, sockets, folder }));
  const program = new BackgroundProgram(...(await commandOf(name, file, folder)));
  const addresses = sockets.map((path) => ({ path }));
  try {
    await program.listening(addresses);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  return { program, addresses };
}

async function commandOf(name: Exclude<PeerName, "safe">, file: string, folder: string): Promise<[string, string[]]> {
  switch (name) {
    case "nginx":
      return ["/usr/sbin/nginx", ["-c", file, "-p", folder, "-e", join(folder, "error.log")]];
    case "haproxy":
      return ["/usr/sbin/haproxy", ["-db", "-f", file]];
    case "envoy":
      return [
        await installEnvoy(),
        ["--config-path", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"],
      ];
  }
}

function tableOf(index: number, listen: number, upstream: number): RouteTable {
  const baselineTarget = `127.0.0.1:${upstream}`;
  const ports = [{ port: 80, name: "http", appProtocol: "http", listen, baselineTarget }];
  return { namespace: "shop", service: `lane-${index}`, version: "1", ports, entries: [] };
}

interface ConfigOptions {
  readonly upstreams: readonly number[];
  readonly sockets: readonly string[];
  readonly folder: string;
}

/** HTTP/1.1 to the upstream with keep-alive and without buffering of bodies, like the other proxies. */
function nginxConfig({ upstreams, sockets, folder }: ConfigOptions): string {
  const servers = upstreams.map(
    (upstream, index) => `
  upstream lane${index} { server 127.0.0.1:${upstream}; keepalive 4; }
  server {
    listen unix:${sockets[index]};
    location / {
      proxy_pass http://lane${index};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_next_upstream off;
    }
  }`,
  );
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `  ${kind}_temp_path ${folder};`);
  return `daemon off;
master_process off;
user root;
worker_processes 1;
pid ${folder}/pid;
error_log /dev/null;
events { worker_connections 1024; }
http {
  access_log off;
  lingering_close off;
${paths.join("\n")}
${servers.join("\n")}
}
`;
}

function haproxyConfig({ upstreams, sockets }: ConfigOptions): string {
  const proxies = upstreams.map(
    (upstream, index) => `
listen lane${index}
  bind unix@${sockets[index]}
  server up 127.0.0.1:${upstream}`,
  );
  return `global
  maxconn 1000
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
  http-reuse always
${proxies.join("\n")}
`;
}

function envoyConfig({ upstreams, sockets }: ConfigOptions): string {
  const manager =
    "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const router = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";
  const listeners = sockets.map((path, index) => ({
    name: `lane-${index}`,
    address: { pipe: { path } },
    filter_chains: [
      {
        filters: [
          {
            name: "http",
            typed_config: {
              "@type": manager,
              stat_prefix: "lane",
              // Closes refused connections at once.
              delayed_close_timeout: "0s",
              http_filters: [{ name: "router", typed_config: { "@type": router } }],
              route_config: {
                virtual_hosts: [
                  {
                    name: "all",
                    domains: ["*"],
                    routes: [{ match: { prefix: "/" }, route: { cluster: `lane-${index}` } }],
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  }));
  const clusters = upstreams.map((port, index) => ({
    name: `lane-${index}`,
    connect_timeout: "2s",
    load_assignment: {
      cluster_name: `lane-${index}`,
      endpoints: [
        {
          lb_endpoints: [{ endpoint: { address: { socket_address: { address: "127.0.0.1", port_value: port } } } }],
        },
      ],
    },
  }));
  return JSON.stringify({ static_resources: { listeners, clusters } });
}
