import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, nextTurn, SeededRandom } from "@homeostat/core";
import type { ServedKind } from "../resources/served-kind.ts";
import { ApiServer } from "../server/api-server.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";
import { StatusError } from "../status/status.ts";
import { definition, version } from "../testing/crd-definition.ts";
import { withCustomResources } from "../server/custom-resources-extension.ts";

const crds = "customresourcedefinitions";

/** Starts a server without a listener and with a fixed clock. */
async function start(from?: ReturnType<ApiServer["snapshot"]>): Promise<ApiServer> {
  const server = new ApiServer({
    clock: new FakeClock(),
    random: new SeededRandom(1),
    isBootstrapped: false,
    extensions: [withCustomResources()],
    ...(from === undefined ? {} : { from }),
  });
  await server.ready();
  return server;
}

function kindOf(server: ApiServer, group: string, plural: string, ofVersion = "v1"): ServedKind {
  const kind = server.kinds.find(group, ofVersion, plural);
  assert.ok(kind !== undefined, `${plural} are served`);
  return kind;
}

async function create(server: ApiServer, kind: ServedKind, object: JsonRecord): Promise<void> {
  const { name = "" } = object["metadata"] as { name?: string };
  const namespace = kind.resource.scope === "Namespaced" ? "default" : "";
  const { object: sent } = kind.complete(object, "Ignore");
  await server.registry.create(systemCall(kind, { name, namespace }), sent, systemChoice());
}

async function remove(server: ApiServer, kind: ServedKind, name: string, namespace = ""): Promise<void> {
  const choice = { isDryRun: false, options: {} };
  await server.registry.delete(systemCall(kind, { name, namespace }), {}, choice);
}

/** Waits until a condition is true. Needs only turns of the event loop, no time. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !holds(); turn += 1) await nextTurn();
  assert.ok(holds());
}

function stored(server: ApiServer, name: string): JsonRecord | undefined {
  return server.registry.get({ group: "apiextensions.k8s.io", resource: crds, namespace: "", name });
}

function conditionOf(server: ApiServer, name: string, type: string): string {
  const { conditions } = (stored(server, name)?.["status"] ?? {}) as { conditions?: JsonRecord[] };
  const found = conditions?.find((each) => each["type"] === type);
  return `${String(found?.["status"])} ${String(found?.["reason"])}`;
}

const name = "things.example.com";
const thing = (over: JsonRecord = {}): JsonRecord => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  ...over,
});

describe("CustomResources", () => {
  it("serves a resource before its definition is established", async () => {
    await using server = await start();
    const served: boolean[] = [];
    const unsubscribe = server.store.subscribe(() => {
      if (conditionOf(server, name, "Established") === "True InitialNamesAccepted")
        served.push(server.kinds.find("example.com", "v1", "things") !== undefined);
    });

    await create(server, kindOf(server, "apiextensions.k8s.io", crds), definition());
    await until(() => served.length > 0);
    unsubscribe();

    assert.deepEqual(served, [true]);
    assert.equal(conditionOf(server, name, "NamesAccepted"), "True NoConflicts");
  });

  it("serves definitions that were stored before it started", async () => {
    await using first = await start();
    await create(first, kindOf(first, "apiextensions.k8s.io", crds), definition());
    await until(() => first.kinds.find("example.com", "v1", "things") !== undefined);

    await using second = await start(first.snapshot());

    assert.ok(second.kinds.find("example.com", "v1", "things") !== undefined);
  });

  it("deletes all objects before a definition, and waits for their finalizers", async () => {
    await using server = await start();
    const definitions = kindOf(server, "apiextensions.k8s.io", crds);
    await create(server, definitions, definition());
    await until(() => conditionOf(server, name, "Established").startsWith("True"));
    const things = kindOf(server, "example.com", "things");
    await create(server, things, thing());
    await create(server, things, thing({ metadata: { name: "b", finalizers: ["a.test/b"] } }));

    await remove(server, definitions, name);
    await until(() => server.store.view().count({ prefix: things.prefix }) === 1);

    assert.equal(conditionOf(server, name, "Terminating"), "True InstanceDeletionInProgress");
    await assert.rejects(create(server, kindOf(server, "example.com", "things"), thing()), StatusError);

    const left = systemCall(things, { name: "b", namespace: "default" });
    await server.registry.update(
      left,
      {
        creates: false,
        make: (old) => ({ apiVersion: "", kind: "", ...old, metadata: { ...old?.metadata, finalizers: [] } }),
      },
      systemChoice(),
    );
    await until(() => stored(server, name) === undefined);
    await until(() => server.kinds.find("example.com", "v1", "things") === undefined);
  });

  it("closes watches shortly after the schema of their resource changed", async () => {
    const clock = new FakeClock();
    await using server = new ApiServer({ clock, isBootstrapped: false, extensions: [withCustomResources()] });
    await server.ready();
    const definitions = kindOf(server, "apiextensions.k8s.io", crds);
    await create(server, definitions, definition());
    await until(() => conditionOf(server, name, "Established").startsWith("True"));
    const { prefix } = kindOf(server, "example.com", "things");
    const shape = { id: "x", encode: () => new Uint8Array(), bookmark: () => new Uint8Array() };
    const started = server.hub.watch({ prefix, from: { initial: true }, shape });
    assert.ok(started.outcome === "watching");

    const call = systemCall(definitions, { name });
    const versions = [version("v1"), version("v2")];
    await server.registry.update(
      call,
      {
        creates: false,
        make: (old) => ({
          apiVersion: "",
          kind: "",
          metadata: {},
          ...old,
          spec: { ...(old?.["spec"] as JsonRecord), versions },
        }),
      },
      systemChoice(),
    );
    await until(() => server.kinds.find("example.com", "v2", "things") !== undefined);

    assert.equal(started.watcher.end, undefined);
    await clock.advance(1000);
    assert.deepEqual(started.watcher.end, { why: "closed" });
  });
});
