// The equivalence cases through a real Envoy that our renderer configures, by files and by the discovery service.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import { defaultRoutingSettings, type RouteTable } from "@homeostat/routing";
import { type CaseRequest, type EquivalenceCase, equivalenceCases, type Feature } from "@homeostat/routing/equivalence";
import {
  DiscoveryServer,
  EnvoyFiles,
  envoyLimitations,
  type EnvoyOutput,
  type EnvoySource,
  type LimitationName,
  renderEnvoy,
} from "@homeostat/sandbox-operator/internal";
import { DnsServer } from "./dns-server.ts";
import { EnvoyProcess } from "./envoy-process.ts";
import { eventually } from "./eventually.ts";
import { raiseInotifyLimit } from "./inotify-limit.ts";
import { installEnvoy, whyNoEnvoy } from "./install-envoy.ts";
import { expectedAddresses, type LocalGroup, localGroups } from "./local-cases.ts";
import { sendRaw } from "./raw-request.ts";
import { Upstreams } from "./upstreams.ts";

const skip = (await whyNoEnvoy()) ?? false;

/** Features that Envoy does not have, with the limitation that the renderer reports instead. */
const unsupported: Partial<Record<Feature, LimitationName>> = {
  tracestate: "TracestateUnsupported",
  "repeated-header": "RepeatedKeyHeaderUnsupported",
  "percent-encoding": "EncodedKeysUnsupported",
  "baggage-rules": "BaggageRulesUnsupported",
  "dot-segments": "DotSegmentsUnsupported",
  gateway: "PreviewUnsupported",
  "sticky-percent": "PercentNotSticky",
  hold: "HoldUnsupported",
};

/** Returns the limitations that a case needs. */
function limitationsOf({ features, request }: EquivalenceCase): readonly LimitationName[] {
  const names = features.flatMap((feature) => unsupported[feature] ?? []);
  return request.isFromNode === true ? [...names, "NodeRequestsRouted"] : names;
}

/** Gives an Envoy its resources. */
interface Publisher {
  readonly source: EnvoySource;
  /** Folder that rendered resources refer to. */
  readonly folder: string | undefined;
  readonly publish: (output: EnvoyOutput) => Promise<void>;
}

describe("routes of a real Envoy", { skip, timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "envoy-"));
  const upstreams = new Upstreams();
  const stop = new AbortController();
  const discovery = new DiscoveryServer({ listeners: [], routes: [], clusters: [], endpoints: [] });
  let discoveryEnd: Promise<void> | undefined;
  let binary: string;
  let dns: DnsServer;
  let groups: readonly LocalGroup[];
  const envoys: EnvoyProcess[] = [];

  before(async () => {
    raiseInotifyLimit();
    binary = await installEnvoy();
    dns = await DnsServer.start();
    groups = await localGroups(upstreams);
  });

  after(async () => {
    for (const envoy of envoys) await envoy[Symbol.asyncDispose]();
    stop.abort();
    await discoveryEnd;
    await upstreams[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const filePublisher = (name: string): Publisher => {
    const home = join(folder, name);
    mkdirSync(home);
    const files = new EnvoyFiles({ folder: home, clock: systemClock, graceMs: 1_000 });
    return { source: { folder: home }, folder: home, publish: async (output) => files.write(output) };
  };
  const discoveryPublisher = async (): Promise<Publisher> => {
    const port = await new Promise<number>((onListening) => {
      discoveryEnd = discovery.run({ host: "127.0.0.1", port: 0, onListening }, stop.signal);
    });
    const publish = async (output: EnvoyOutput): Promise<void> => {
      discovery.update(output);
    };
    return { source: { discovery: { address: "127.0.0.1", port } }, folder: undefined, publish };
  };
  const start = (name: string, source: EnvoySource): EnvoyProcess => {
    const home = join(folder, `${name}-process`);
    mkdirSync(home);
    const envoy = new EnvoyProcess({ binary, folder: home, dnsPort: dns.port, source });
    envoys.push(envoy);
    return envoy;
  };

  for (const name of ["files", "discovery"]) {
    it(`agree with decide in every case that Envoy can express, by ${name}`, async () => {
      const publisher = name === "files" ? filePublisher(name) : await discoveryPublisher();
      const output = renderAll(groups, publisher.folder);
      await publisher.publish(output);
      const envoy = start(name, publisher.source);
      const ports = await envoy.listening(output.listeners.map((each) => each.name ?? ""));

      const { wrong, compared } = await compareCases(groups, ports);
      assert.deepEqual(wrong, [], envoy.log);
      assert.ok(compared > 150, `${compared} cases`);
      assert.doesNotMatch(envoy.log, /rejected/);
    });

    it(`change without a failed request, by ${name}`, async () => {
      const publisher = name === "files" ? filePublisher("changes") : undefined;
      const publish = publisher?.publish ?? (async (output: EnvoyOutput) => discovery.update(output));
      const [first, second] = await changingTables(upstreams);
      const render = (table: RouteTable): EnvoyOutput =>
        renderEnvoy({
          tables: [table],
          settings: defaultRoutingSettings,
          bindAddress: "127.0.0.1",
          ...(publisher?.folder !== undefined && { folder: publisher.folder }),
        });
      await publish(render(first));
      const envoy = publisher === undefined ? envoys.at(-1) : start("changes", publisher.source);
      assert.ok(envoy);
      const ports = await envoy.listening(["change/cart:80"]);
      const port = ports.get("change/cart:80") ?? 0;
      const send = async (): Promise<string> => {
        const { received, head } = await sendRaw(port, changeRequest);
        return received?.address ?? head;
      };
      await eventually("the first route", async () => ((await send()) === "first:80" ? true : undefined));
      const seen = new Set<string>();
      const changed = publish(render(second));
      await eventually("the second route", async () => {
        const address = await send();
        seen.add(address);
        return address === "second:80" ? true : undefined;
      });
      await changed;
      await eventually("the removal of the first cluster", async () => {
        seen.add(await send());
        const text = await envoy.admin("/clusters");
        return text.includes("change/first:80::") ? undefined : true;
      });

      assert.deepEqual(
        [...seen].filter((address) => !["first:80", "second:80"].includes(address)),
        [],
        envoy.log,
      );
    });
  }

  it("are the same in files and in messages of the discovery service", async () => {
    const [files] = envoys;
    const messages = envoys.at(-1);
    assert.ok(files && messages && files !== messages);
    discovery.update(renderAll(groups, undefined));
    await eventually("the confirmation of Envoy", async () =>
      discovery.envoys.some(({ nodeId, isSynced }) => nodeId === "equivalence" && isSynced) ? true : undefined,
    );

    assert.deepEqual(await resourcesOf(messages), await resourcesOf(files));
  });

  it("have a limitation for every other case", () => {
    for (const each of equivalenceCases) {
      const { limitations } = renderEnvoy({ tables: [each.table], settings: each.settings });
      const reported = new Set<string>([...envoyLimitations, ...limitations.map((limitation) => limitation.name)]);

      for (const name of limitationsOf(each)) assert.ok(reported.has(name), `${each.name}: ${name}`);
    }
  });
});

/** Sends the requests of all cases that Envoy can express. */
async function compareCases(
  groups: readonly LocalGroup[],
  ports: ReadonlyMap<string, number>,
): Promise<{ readonly wrong: readonly string[]; readonly compared: number }> {
  const wrong: string[] = [];
  let compared = 0;
  for (const { table, cases } of groups) {
    for (const each of cases.filter((one) => limitationsOf(one).length === 0)) {
      const port = ports.get(`${table.namespace}/${table.service}:${each.port}`) ?? 0;
      const { status, received, head } = await sendRaw(port, each.request);
      const expected = expectedAddresses(each);
      compared += 1;
      const isRight = expected.length === 0 ? status === 503 : expected.includes(received?.address ?? "");
      if (!isRight) wrong.push(`${each.name}: ${received?.address ?? head} instead of ${expected.join() || "503"}`);
    }
  }
  return { wrong, compared };
}

const changeRequest: CaseRequest = { method: "GET", path: "/", headers: [["x-routing-key", "key-a"]] };

/** Returns two tables: the second one leads to another Service than the first. */
async function changingTables(upstreams: Upstreams): Promise<readonly [RouteTable, RouteTable]> {
  const local = async (address: string): Promise<number> => upstreams.portOf(address, { isHttp2: false });
  const baseline = await local("baseline:80");
  const tableTo = async (service: string): Promise<RouteTable> => {
    const addresses = [`127.0.0.1:${await local(`${service}:80`)}`];
    return {
      namespace: "change",
      service: "cart",
      version: service,
      ports: [{ port: 80, listen: 0, baselineTarget: `127.0.0.1:${baseline}` }],
      entries: [
        {
          routingKey: "key-a",
          sandbox: "a",
          workload: "cart",
          source: "Sandbox",
          ports: [{ port: 80, targetService: service, targetPort: 80, addresses }],
        },
      ],
    };
  };
  return [await tableTo("first"), await tableTo("second")];
}

/** Returns the routes and clusters that Envoy uses, by name, without versions and sources. */
async function resourcesOf(envoy: EnvoyProcess): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const kind of ["dynamic_route_configs", "dynamic_active_clusters"]) {
    const { configs } = JSON.parse(await envoy.admin(`/config_dump?resource=${kind}`)) as {
      readonly configs: readonly Readonly<Record<"route_config" | "cluster", Readonly<Record<string, unknown>>>>[];
    };
    for (const config of configs) {
      const resource = config.route_config ?? config.cluster;
      const name = String(resource["name"]);
      const text = JSON.stringify(resource, (key, value: unknown) => (key === "eds_config" ? undefined : value));
      if (!name.startsWith("change/")) found.set(`${kind} ${name}`, JSON.parse(text));
    }
  }
  assert.ok(found.size > 100, `${found.size} resources`);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Renders all groups, each with its settings. */
function renderAll(groups: readonly LocalGroup[], folder: string | undefined): EnvoyOutput {
  const outputs = groups.map(({ table, settings }) =>
    renderEnvoy({ tables: [table], settings, bindAddress: "127.0.0.1", ...(folder !== undefined && { folder }) }),
  );
  return {
    listeners: outputs.flatMap(({ listeners }) => listeners),
    routes: outputs.flatMap(({ routes }) => routes),
    clusters: outputs.flatMap(({ clusters }) => clusters),
    endpoints: outputs.flatMap(({ endpoints }) => endpoints),
    limitations: [],
  };
}
