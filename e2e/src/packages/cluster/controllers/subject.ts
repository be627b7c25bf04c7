// The subjects of the suite: the real kube-controller-manager on the real API server, our controllers on the real API server, and
// our controllers on the embedded API server.

import { setMaxListeners } from "node:events";
import { type Connection, createClient, type Client, type Layer } from "@homeostat/client";
import { clusterControllers, type ControlLoop } from "@homeostat/cluster/internal";
import { systemClock, systemRandom } from "@homeostat/core";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../../../harness/cluster.ts";
import { type AdminAccess, startEmbedded } from "../../../harness/embedded.ts";

/** A cluster with controllers. */
export interface Subject extends AsyncDisposable {
  readonly client: Client;
  /** CA certificate of its API server. */
  readonly ca: string;
}

/** Starts a real control plane with kube-controller-manager. Only the storage driver is ours. */
export async function kubernetes(): Promise<Subject> {
  const cluster = await startCluster({ need: "control-plane" });
  const { server, ca = "", cert = "", key = "" } = cluster;
  const isDriver = ({ name }: ControlLoop): boolean => name === "simulated-provisioner";
  return started({ server, ca, cert, key }, isDriver, () => cluster.stop());
}

/** Starts a real API server with our controllers. */
export async function controllersAlone(): Promise<Subject> {
  const cluster = await startCluster({ need: "apiserver" });
  const { server, ca = "", cert = "", key = "" } = cluster;
  return started(
    { server, ca, cert, key },
    () => true,
    () => cluster.stop(),
  );
}

/** Starts the embedded API server with our controllers. */
export async function embedded(): Promise<Subject> {
  const server = await startEmbedded();
  return started(
    server.access,
    () => true,
    () => server.stop(),
  );
}

/** A connection may take long on a busy machine. */
const patient: Layer = (next) => ({
  send: (request) => next.send({ ...request, timeouts: { connectMs: 60_000, ...request.timeouts } }),
});

function started(
  { server, ca, cert, key }: AdminAccess,
  isRun: (loop: ControlLoop) => boolean,
  stopServer: () => Promise<unknown>,
): Subject {
  const connection: Connection = {
    server,
    tls: { certificateAuthority: { data: ca } },
    identity: { clientCertificate: { data: cert }, clientKey: { data: key } },
  };
  const client = createClient(connection, { layers: [patient], defaults: { fieldManager: "a-user" } });
  const own = createClient(connection, { layers: [patient], defaults: { fieldManager: "kube-controller-manager" } });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const cache = new Cache({ sources: clientSources(own), clock: systemClock, random: systemRandom });
  const isVerbose = process.env["HOMEOSTAT_VERBOSE"] !== undefined;
  const loops = clusterControllers({
    client: own,
    cache,
    clock: systemClock,
    random: systemRandom,
    ca,
    ...(isVerbose ? { log: textLogger() } : {}),
  });
  const runs = loops.filter(isRun).map((loop) => loop.run(stop.signal));
  const running = Promise.all([cache.run(stop.signal), ...runs]);
  return {
    client,
    ca,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      own.close();
      client.close();
      await stopServer();
    },
  };
}
