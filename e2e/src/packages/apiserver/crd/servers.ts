// Starts a real server and an embedded one for the suites of CRDs.

import { type Access, Subject } from "../cases/subject.ts";
import { bothServers } from "../../../harness/both-servers.ts";

/** Both servers. */
export interface Servers {
  readonly real: Subject;
  readonly ours: Subject;
  readonly realAccess: Access;
  readonly oursAccess: Access;
  close(): Promise<void>;
}

/** Starts a real server and an embedded one. */
export async function startServers(): Promise<Servers> {
  const servers = await bothServers();
  const [real, ours] = [new Subject(servers.real), new Subject(servers.embedded)];
  return {
    real,
    ours,
    realAccess: servers.real,
    oursAccess: servers.embedded,
    close: async () => {
      real.close();
      ours.close();
      await servers[Symbol.asyncDispose]();
    },
  };
}
