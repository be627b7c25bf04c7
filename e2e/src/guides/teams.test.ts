// Runs the example of the guides to controllers and the manager as a process on a real API server.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client, type ObjectToSend } from "@homeostat/client";
import { isConditionTrue, type KubeObject, type ResourceType } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Event, Secret } from "@homeostat/kubernetes/core/v1";
import type { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { installKind } from "../harness/install-kind.ts";
import { repository } from "../harness/repository.ts";

interface Team extends KubeObject {
  spec: { members: string[]; secret: string };
  status?: { members?: number; conditions?: { type: string; status: string; reason: string; message: string }[] };
}
const Team: ResourceType<Team> = {
  group: "example.com",
  version: "v1",
  kind: "Team",
  plural: "teams",
  scope: "Namespaced",
};
const namespace = "default";

describe("the teams example", { skip: (await reasonToSkip({ need: "apiserver" })) ?? false }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let client: Client;
  let program: ChildProcess;
  let log = "";

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "person" } });
    const { Team: resource }: { Team: { crd(): ObjectToSend<CustomResourceDefinition> } } = await import(
      join(repository, "examples/dist/teams/team.js")
    );
    await installKind(client, resource.crd());
    program = spawn(process.execPath, [join(repository, "examples/dist/teams/main.js")], {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath, PORT: "0" },
    });
    program.stderr?.on("data", (piece: Buffer) => (log += piece.toString()));
  });

  after(async () => {
    program.kill("SIGKILL");
    client.close();
    await cluster.stop();
  });

  it("waits for a Secret, and continues when it exists", async () => {
    await client.create(Team, team("red", { members: ["ann", "ben"], secret: "red-password" }));
    await until(async () => (await ready("red"))?.reason === "NoSecret");

    await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "red-password" } });

    await until(async () => (await ready("red"))?.reason === "SettingsWritten");
    assert.deepEqual(await settings(), ["red-ann", "red-ben"]);
    assert.ok((await client.get(Job, { namespace, name: "red-welcome" })) !== undefined);
  });

  it("deletes objects that are no longer desired, and records an event", async () => {
    await client.patch(Team, { namespace, name: "red" }, { merge: { spec: { members: ["ann", "cid"] } } });

    await until(async () => (await settings()).join() === "red-ann,red-cid");
    await until(async () =>
      (await client.list(Event, { namespace })).items.some(({ reason }) => reason === "MembersLeft"),
    );
    assert.equal((await client.get(Team, { namespace, name: "red" }))?.status?.members, 2);
  });

  it("reports an error that only a change of the spec can fix, and continues after that change", async () => {
    await client.create(Team, team("blue", { members: ["blue"], secret: "red-password" }));
    await until(async () => (await ready("blue"))?.reason === "MemberIsTeam");

    await client.patch(Team, { namespace, name: "blue" }, { merge: { spec: { members: ["dan"] } } });

    await until(async () =>
      isConditionTrue((await client.get(Team, { namespace, name: "blue" }))?.status?.conditions, "Ready"),
    );
  });

  it("reconciles when an external event triggers it, and logs the cause", async () => {
    const port = /ports=\[(\d+)\]/.exec(log)?.[1];
    const why = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/why/teams/default/blue`)).text();
    assert.doesNotMatch(await why(), /visits/);

    assert.ok(program.kill("SIGUSR1"));

    await until(async () => (await why()).includes("visits"));
  });

  it("cleans up before a team is deleted, and stops on SIGTERM", async () => {
    await client.delete(Team, { namespace, name: "red" });
    await until(async () => (await client.get(Team, { namespace, name: "red" })) === undefined);
    assert.match(log, /Team deregistered/);
    const ended = new Promise((resolve) => program.once("exit", resolve));

    program.kill("SIGTERM");

    assert.equal(await ended, 0, log);
    assert.equal((await client.get(Lease, { namespace, name: "teams" }))?.spec?.holderIdentity ?? "", "");
  });

  async function ready(name: string): Promise<{ reason: string } | undefined> {
    const found = await client.get(Team, { namespace, name });
    return found?.status?.conditions?.find(({ type }) => type === "Ready");
  }

  async function settings(): Promise<string[]> {
    const { items } = await client.list(ConfigMap, { namespace });
    return items
      .flatMap(({ metadata: { name = "" }, data }) => (data?.["team"] === undefined ? [] : [name]))
      .toSorted();
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`timed out; the log is\n${log}`);
  }
});

function team(name: string, spec: Team["spec"]): Team {
  return { apiVersion: "example.com/v1", kind: "Team", metadata: { namespace, name }, spec };
}
