// What a Redis says to a password.

import { connect } from "node:net";
import { Pod, Secret } from "@homeostat/kubernetes/core/v1";
import type { Place } from "./place.ts";

/** What the first Redis of a tenant answers to who introduces himself with this password. */
export async function login({ client }: Place, tenant: string, password: string): Promise<string> {
  const pod = await client.get(Pod, { namespace: `tenant-${tenant}`, name: `${tenant}-redis-0` });
  const host = pod?.status?.podIP ?? "";
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 6379 }, () => socket.write(`AUTH ${password}\r\n`));
    socket.setEncoding("utf8").setTimeout(20_000, () => socket.destroy(new Error("no answer")));
    socket.on("error", reject);
    socket.on("data", (text: string) => {
      socket.destroy();
      resolve(text.trim());
    });
  });
}

/** One text of the Secret of a tenant's Redis. */
export async function secretText({ client }: Place, tenant: string, key: string): Promise<string | undefined> {
  const secret = await client.get(Secret, { namespace: `tenant-${tenant}`, name: `${tenant}-redis-auth` });
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}
