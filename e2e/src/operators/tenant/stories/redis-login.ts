// Logs in to the Redis of a tenant.

import { connect } from "node:net";
import { Pod, Secret } from "@homeostat/kubernetes/core/v1";
import type { TenantStage } from "./stage.ts";

/** Returns the response of a tenant's first Redis pod to a login with a password. */
export async function login({ client }: TenantStage, tenant: string, password: string): Promise<string> {
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

/** Returns one value of the Redis Secret of a tenant. */
export async function secretText({ client }: TenantStage, tenant: string, key: string): Promise<string | undefined> {
  const secret = await client.get(Secret, { namespace: `tenant-${tenant}`, name: `${tenant}-redis-auth` });
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}
