// The same requests to a real server and to ours.

import { type Access, Subject } from "../cases/subject.ts";
import { startCluster } from "../harness/cluster.ts";
import { startEmbedded } from "../harness/embedded.ts";

/** Both servers. */
export interface Servers {
  readonly real: Subject;
  readonly ours: Subject;
  readonly realAccess: Access;
  readonly oursAccess: Access;
  close(): Promise<void>;
}

/** Starts a real server and one of ours. */
export async function startServers(): Promise<Servers> {
  const [cluster, embedded] = await Promise.all([startCluster({ need: "apiserver" }), startEmbedded()]);
  const { server, ca = "", cert = "", key = "" } = cluster;
  const realAccess = { server, ca, cert, key };
  const [real, ours] = [new Subject(realAccess), new Subject(embedded.access)];
  return {
    real,
    ours,
    realAccess,
    oursAccess: embedded.access,
    close: async () => {
      real.close();
      ours.close();
      await Promise.all([embedded.stop(), cluster.stop()]);
    },
  };
}
