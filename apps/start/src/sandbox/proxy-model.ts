// The routing proxy in simulated pods: the program of apps/proxy on the network of the embedded cluster.

import { type Server, Socket } from "node:net";
import { type AppModel, imageBaseName, type ProgramContext, type RunningProgram } from "@homeostat/cluster/app-model";
import { connectTcp, type Connect, type Listen, splitAddress } from "@homeostat/proxy";
import { textLogger } from "@homeostat/runtime";
import { LevelSetting, readArguments, type RouteServerAddress, RoutingProxy } from "@homeostat/sandbox-proxy";

/** Returns the address of the route server for a proxy, given the URL of its command line and the CA that its pod has mounted. */
export type FindRouteServer = (proxy: {
  readonly namespace: string;
  readonly url: string;
  readonly ca: string;
}) => Promise<RouteServerAddress>;

const host = "127.0.0.1";

/** Returns the app model that runs the routing proxy in the pods of its Deployment. */
export function proxyModel(findRouteServer: FindRouteServer): AppModel {
  return {
    name: "sandbox-proxy",
    runs: ({ image }) => imageBaseName(image) === "sandbox-proxy",
    start: (context) => startProxy(context, findRouteServer),
  };
}

function startProxy(context: ProgramContext, findRouteServer: FindRouteServer): RunningProgram {
  const { container, env, pod, network, files, clock, random, print, exit } = context;
  const read = readArguments(container.args, Object.fromEntries(env), pod.name);
  const stopping = new AbortController();
  const killed = new AbortController();
  if (read.run === "proxy") {
    const { settings } = read;
    const bound: Disposable[] = [];
    const proxy = new RoutingProxy({
      // The volume of the snapshot is not a folder of this machine.
      settings: { ...settings, adminPort: 0, snapshotFile: "" },
      clock,
      random,
      log: textLogger({ write: print, clock }),
      level: new LevelSetting(settings.logLevel),
      routeServer: () =>
        findRouteServer({
          namespace: pod.namespace,
          url: settings.routeServer,
          ca: files.get(settings.caFile) ?? "",
        }),
      adminToken: () => Promise.resolve(undefined),
      network: { connect: connectInside(context), listen: listenInside(context), adminHost: host },
      onListening: (port) => void bound.push(network.bind(pod.ip, settings.adminPort, { host, port })),
    });
    const end = (exitCode: number): void => {
      for (const port of bound) port[Symbol.dispose]();
      exit({ exitCode });
    };
    void proxy.run(stopping.signal, { killed: killed.signal }).then(
      () => end(0),
      (error: unknown) => {
        print(String(error));
        end(1);
      },
    );
  }
  return {
    servesPorts: true,
    terminate: () => stopping.abort(),
    kill: () => {
      killed.abort();
      stopping.abort();
    },
  };
}

/** Returns a function that connects to pods and Services of the embedded cluster. */
function connectInside({ network, pod }: ProgramContext): Connect {
  return (address) => {
    const target = splitAddress(address);
    const found = network.resolve(target.host, target.port, pod.namespace);
    if (found !== undefined) return connectTcp(`${found.host}:${found.port}`);
    return new Socket().destroy(new Error(`Nothing listens on ${address}`));
  };
}

/** Returns a function that makes a server listen on a port of the pod. */
function listenInside({ network, pod }: ProgramContext): Listen {
  return (server: Server, port: number) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port: 0 }, () => {
        server.off("error", reject);
        const address = server.address();
        const local = typeof address === "object" && address !== null ? address.port : 0;
        const bound = network.bind(pod.ip, port, { host, port: local });
        server.once("close", () => bound[Symbol.dispose]());
        resolve();
      });
    });
}
