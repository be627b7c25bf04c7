import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkipOwnCluster } from "../../../harness/own-cluster.ts";
import { type BothServers, bothServers, type ServerUnderTest } from "../../../harness/both-servers.ts";
import { Server } from "../kinds/server.ts";

const skip = await reasonToSkipOwnCluster();

/** A metric family: type and help text, and the label names of its samples. */
interface Family {
  type: string;
  help: string;
  readonly labels: Set<string>;
}

function familiesOf(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: Family | undefined;
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word !== undefined) {
      current = families.get(name) ?? { type: "", help: "", labels: new Set() };
      families.set(name, current);
      if (word === "HELP") current.help = rest;
      else current.type = rest;
      continue;
    }
    for (const [, label = ""] of line.matchAll(/[{,]([a-z_]+)="/g)) current?.labels.add(label);
  }
  return families;
}

async function read(server: ServerUnderTest, path: string): Promise<string> {
  const client = new Server(server);
  try {
    const { status, text } = await client.ask({ path, headers: { accept: "text/plain" } });
    assert.equal(status, 200, `${server.name} ${path}`);
    return text;
  } finally {
    client.close();
  }
}

describe("metrics and debug pages of both servers", { skip }, () => {
  let servers: BothServers;

  before(async () => {
    servers = await bothServers();
    for (const server of [servers.real, servers.embedded]) {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "counted" } };
      const path = "/api/v1/namespaces/default/configmaps";
      const client = new Server(server);
      await client.ask({ method: "POST", path, body });
      await client.ask({ path });
      client.close();
    }
  });

  after(async () => {
    await servers[Symbol.asyncDispose]();
  });

  it("have the same types, help texts and labels", async () => {
    const [real, embedded] = [
      familiesOf(await read(servers.real, "/metrics")),
      familiesOf(await read(servers.embedded, "/metrics")),
    ];

    assert.ok(embedded.size >= 14);
    for (const [name, family] of embedded) {
      const same = real.get(name);
      assert.ok(same, `${name} is not a metric of the real server`);
      assert.equal(family.type, same.type, name);
      assert.equal(family.help, same.help, name);
      // A gauge without samples has no labels.
      if (family.labels.size > 0 && same.labels.size > 0)
        assert.deepEqual([...family.labels].toSorted(), [...same.labels].toSorted(), name);
    }
  });

  it("count the same requests under the same labels", async () => {
    const wanted = /^apiserver_request_total\{.*resource="configmaps",.*verb="(POST|LIST)".*$/;
    const counted = async (server: ServerUnderTest): Promise<string[]> =>
      (await read(server, "/metrics"))
        .split("\n")
        .filter((line) => wanted.test(line) && line.includes('code="20'))
        .map((line) => line.replace(/ \d+$/, ""))
        .toSorted();

    const embedded = await counted(servers.embedded);

    assert.equal(embedded.length, 2);
    const real = await counted(servers.real);
    for (const line of embedded) assert.ok(real.includes(line), line);
  });

  it("have the same format", async () => {
    const shape = (text: string): string =>
      text
        // The real server chooses the delimiter at random.
        .replace(/^(Started|Up)[:= ]+.*/gm, "$1")
        .replace(/^(Go version|Binary version|Emulation version|Paths)[:= ]+/gm, "$1: ")
        .replace(/^(exempt, .*)$/gm, (line) => line.replace(/ \d+,/g, " n,").replace(/ +/g, " "))
        .replace(/\b\d+, /g, "n, ")
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
        .replace(/ +/g, " ");
    for (const path of [
      "/statusz",
      "/debug/api_priority_and_fairness/dump_priority_levels",
      "/debug/api_priority_and_fairness/dump_requests",
    ]) {
      assert.equal(shape(await read(servers.embedded, path)), shape(await read(servers.real, path)), path);
    }
    const queues = async (server: ServerUnderTest): Promise<string[]> =>
      (await read(server, "/debug/api_priority_and_fairness/dump_queues")).split("\n").toSorted();
    assert.deepEqual(
      (await queues(servers.embedded)).map((line) => line.replace(/ +/g, " ")),
      (await queues(servers.real)).map((line) => line.replace(/ +/g, " ")),
    );
  });

  it("name the same flags and health checks", async () => {
    const flags = async (server: ServerUnderTest): Promise<string[]> =>
      (await read(server, "/flagz"))
        .split("\n")
        .slice(3)
        .map((line) => line.split(/[:= ]/)[0] ?? "");
    const real = await flags(servers.real);
    for (const flag of await flags(servers.embedded)) assert.ok(real.includes(flag), flag);
    const checks = async (server: ServerUnderTest): Promise<string[]> =>
      (await read(server, "/metrics/slis")).split("\n").filter((line) => line.startsWith("kubernetes_healthcheck{"));
    // The real server lists a check once it ran.
    for (const path of ["/healthz", "/livez", "/readyz"]) await read(servers.real, path);
    const embedded = await checks(servers.embedded);
    for (const line of await checks(servers.real)) assert.ok(embedded.includes(line), line);
  });
});
