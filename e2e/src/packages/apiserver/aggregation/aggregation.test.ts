import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkipOwnCluster } from "../../../harness/own-cluster.ts";
import { type Case, del, get, post, type Step } from "../cases/case.ts";
import { Subject, type ComparedResponse } from "../cases/subject.ts";
import { type BothServers, bothServers } from "../../../harness/both-servers.ts";
import { startBackend } from "./backend.ts";

const skip = await reasonToSkipOwnCluster();
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const group = "{ns}.example.com";
const aggregated = { headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" } };
const alice = {
  headers: {
    "impersonate-user": "alice",
    "impersonate-group": "system:masters",
    "impersonate-uid": "alice-uid",
    "impersonate-extra-scopes": "view",
    "x-remote-user": "forged",
    "x-remote-group": "forged",
  },
};

/** Returns the steps that register an aggregated server behind a Service of type ExternalName. */
function register(port: number, spec: object): Step[] {
  return [
    post("/api/v1/namespaces/{ns}/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "agg" },
      spec: { type: "ExternalName", externalName: "localhost" },
    }),
    post(`${services}?fieldManager=t`, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: "{ns}", name: "agg", port },
        ...spec,
      },
    }),
  ];
}

const settled = (reason: string): Step => ({
  do: "until",
  path: `${services}/v1.${group}`,
  status: 200,
  shows: `"reason":"${reason}"`,
});

describe("aggregated servers behind both servers", { skip }, () => {
  let servers: BothServers;
  let subjects: readonly Subject[];
  let count = 0;

  before(async () => {
    servers = await bothServers();
    subjects = [new Subject(servers.real), new Subject(servers.embedded)];
  });

  after(async () => {
    for (const subject of subjects) subject.close();
    await servers[Symbol.asyncDispose]();
  });

  async function compare(steps: Case["steps"], namespace: string): Promise<ComparedResponse[]> {
    const results: ComparedResponse[][] = [];
    for (const subject of subjects)
      results.push(await subject.run({ steps }, namespace, await subject.begin(namespace)));
    const [real = [], embedded = []] = results;
    assert.deepEqual(embedded, real);
    return real;
  }

  it("forwards requests with the user and the front-proxy certificate", async () => {
    const namespace = `agg-${(count += 1)}`;
    await using backend = await startBackend([`agg.${namespace}.svc`]);
    const things = `/apis/${group}/v1/namespaces/{ns}/readings`;

    const results = await compare(
      [
        ...register(backend.port, { caBundle: backend.caBundle }),
        settled("Passed"),
        get(`${services}/v1.${group}`),
        get(`/apis/${group}`),
        get(`/apis/${group}/v1`),
        get(`${things}?limit=1&labelSelector=a%3Db`, alice),
        post(things, { a: 1 }, alice),
        get(`${things}/teapot`, alice),
        get(things, { as: "unprivileged" }),
        { do: "until", path: "/apis", status: 200, shows: namespace },
        get("/apis"),
        del(`${services}/v1.${group}`),
      ],
      namespace,
    );

    assert.ok(JSON.stringify(results).includes('"client":"front-proxy-client"'));
    assert.ok(!JSON.stringify(results).includes("forged"));
  });

  it("describes the resources of an aggregated server in aggregated discovery", async () => {
    const namespace = `agg-${(count += 1)}`;
    await using backend = await startBackend([`agg.${namespace}.svc`]);
    const steps = [...register(backend.port, { insecureSkipTLSVerify: true }), settled("Passed")];
    const shows: Step = { do: "until", path: "/apis", status: 200, shows: namespace };

    const results: unknown[] = [];
    for (const subject of subjects) {
      await subject.run({ steps: [...steps, shows] }, namespace, await subject.begin(namespace));
      // The real server asks for the document of a new version a moment after it became available.
      const item = await until(async () => {
        const [response] = await subject.run({ steps: [get("/apis", aggregated)] }, namespace);
        const { items = [] } = (response?.body ?? {}) as {
          items?: { metadata: { name?: string }; versions: unknown[] }[];
        };
        const found = items.find(({ metadata }) => metadata.name === `${namespace}.example.com`);
        return JSON.stringify(found ?? {}).includes("readings") ? found : undefined;
      });
      results.push(item);
    }

    assert.deepEqual(results[1], results[0]);
  });

  it("reports a certificate of another authority, and responds 503", async () => {
    const namespace = `agg-${(count += 1)}`;
    await using backend = await startBackend([`agg.${namespace}.svc`]);

    await compare(
      [
        ...register(backend.port, {}),
        settled("FailedDiscoveryCheck"),
        get(`/apis/${group}/v1/readings`),
        del(`${services}/v1.${group}`),
      ],
      namespace,
    );
  });
});

/** Polls until there is a value, for at most 20 s. */
async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = Date.now() + 20_000; ;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error("timed out after 20 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
