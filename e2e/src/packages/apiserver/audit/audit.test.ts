// The audit events of the level Metadata that both servers write for the same requests.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ApiServer, adminIdentity, openAuditLog, standardOptions } from "@homeostat/apiserver";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import type { AdminAccess } from "../../../harness/embedded.ts";
import { Server } from "../kinds/server.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Sends the same requests to a server. Each has its own audit id. */
async function sendAll(access: AdminAccess): Promise<void> {
  const client = new Server(access);
  let sent = 0;
  const send = async (
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: object; readonly headers?: Record<string, string> } = {},
  ): Promise<void> => {
    sent += 1;
    await client.ask({
      method,
      path,
      headers: {
        "audit-id": `compared-${sent}`,
        "user-agent": "audited/1",
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "audited" } };
  await send("POST", configMaps, { body: object });
  await send("POST", configMaps, { body: object });
  await send("PUT", `${configMaps}/audited`, { body: { ...object, data: { a: "b" } } });
  await send("PATCH", `${configMaps}/audited`, {
    body: { data: { c: "d" } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  await send("GET", `${configMaps}/missing`);
  await send("GET", `${configMaps}?limit=1`);
  await send("GET", configMaps, { headers: { "impersonate-user": "stranger" } });
  await send("POST", "/apis/apps/v1/namespaces/default/deployments", { body: { kind: "Deployment" } });
  await send("GET", "/apis/apps/v1/namespaces/default/deployments/missing/scale");
  await send("GET", "/version");
  await send("DELETE", `${configMaps}/audited`);
  client.close();
}

/** Returns the final events of the compared requests, without what differs between servers. */
async function eventsIn(path: string): Promise<readonly unknown[]> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  return lines
    .map((line): unknown => JSON.parse(line))
    .filter(isRecord)
    .filter(({ auditID, stage }) => String(auditID).startsWith("compared-") && stage === "ResponseComplete")
    .sort((a, b) => Number(numberOf(a)) - Number(numberOf(b)))
    .map(({ user, requestReceivedTimestamp, stageTimestamp, ...rest }) => {
      assert.match(String(requestReceivedTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.match(String(stageTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      // The administrators of the two servers have different names, groups and certificates.
      const shape: unknown = isRecord(user) ? Object.keys(user) : user;
      return JSON.parse(
        JSON.stringify({ ...rest, user: shape }).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID"),
      ) as unknown;
    });
}

function numberOf({ auditID }: JsonRecord): string {
  return String(auditID).replace("compared-", "");
}

describe("the audit logs of both servers", { skip }, () => {
  it("have the same events for the same requests", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-audit-"));
    const policy = join(folder, "policy.yaml");
    const realLog = join(folder, "real.log");
    const ownLog = join(folder, "own.log");
    await writeFile(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n");
    const apiserverFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${realLog}`];
    const cluster = await startCluster({ need: "apiserver", apiserverFlags });
    const { server: url, ca = "", cert = "", key = "" } = cluster;
    await sendAll({ server: url, ca, cert, key });
    await cluster.stop();
    using log = openAuditLog(ownLog);
    const embedded = new ApiServer(standardOptions({ audit: log.write }));
    const address = await embedded.listen();
    const admin = embedded.certificates.client(adminIdentity);
    await sendAll({ server: address.url, ca: embedded.certificates.ca, ...admin });
    await embedded.stop();

    const theirs = await eventsIn(realLog);
    const ours = await eventsIn(ownLog);
    await rm(folder, { recursive: true });

    assert.equal(theirs.length, 11);
    assert.deepEqual(ours, theirs);
  });
});
