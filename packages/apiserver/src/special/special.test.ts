import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import { kindOf, named, readerOf, refusal, requestFor } from "../admission/request.fixture.test.ts";
import { parseQuery } from "../request/query.ts";
import { valueAt } from "../tables/read.ts";
import { addressNumber, addressText, parseRange } from "./address-range.ts";
import { bindPod } from "./binding.ts";
import { furtherObjects } from "./bootstrap.ts";
import { evictPod } from "./eviction.ts";
import { freeNumber } from "./free-numbers.ts";
import { readLogOptions } from "./pod-log.ts";
import { podStreamOf, proxyPlaceOf } from "./pod-stream.ts";
import { checkScale, scaleViewOf } from "./scale.ts";
import { ServiceAllocation } from "./service-allocation.ts";
import type { SpecialStore } from "./special-store.ts";

const now = Date.UTC(2026, 0, 1);

/** A store of some objects that remembers what was done to it. */
function storeOf(objects: Readonly<Record<string, readonly JsonRecord[]>>): SpecialStore & { readonly log: unknown[] } {
  const log: unknown[] = [];
  return {
    ...readerOf(objects),
    log,
    replace: async (name, object) => {
      log.push({ replaced: name.name, object });
      return object;
    },
    remove: async (name, wish) => void log.push({ removed: name.name, wish }),
  };
}

const asked = (name: string, object: JsonRecord): Parameters<typeof bindPod>[0] => ({
  namespace: "team",
  name,
  object,
  isDryRun: false,
  nowMs: now,
  validate: async () => undefined,
});

describe("bindPod", () => {
  const binding = named("a", { target: { kind: "Node", name: "n" } });

  it("puts a pod on its node, with a condition", async () => {
    const store = storeOf({ pods: [named("a", { status: { nominatedNodeName: "x" } }, "team")] });

    await bindPod(asked("a", binding), store);

    const [{ object }] = store.log as [{ object: JsonRecord }];
    assert.equal(valueAt(object, "spec", "nodeName"), "n");
    assert.deepEqual(object["status"], {
      conditions: [
        { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  it("refuses pods that have one, are going, or wait at a gate", async () => {
    const ask = (rest: object): Promise<string | undefined> =>
      refusal(() => bindPod(asked("a", binding), storeOf({ pods: [named("a", rest, "team")] })));
    const conflict = '409 Operation cannot be fulfilled on pods/binding "a": pod a ';

    assert.equal(await ask({ spec: { nodeName: "m" } }), `${conflict}is already assigned to node "m"`);
    assert.equal(
      await ask({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      `${conflict}is being deleted, cannot be assigned to a host`,
    );
    assert.equal(await ask({ spec: { schedulingGates: [{}] } }), `${conflict}has non-empty .spec.schedulingGates`);
    assert.equal(await refusal(() => bindPod(asked("a", named("a")), storeOf({}))), "500 target.name: Required value");
  });
});

describe("evictPod", () => {
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  const pod = named("a", { metadata: { labels: { app: "a" } }, status: ready }, "team");
  const budget = (status: object): JsonRecord =>
    named(
      "b",
      {
        metadata: { generation: 1 },
        spec: { selector: { matchLabels: { app: "a" } } },
        status: { observedGeneration: 1, ...status },
      },
      "team",
    );
  const evict = (
    status: object | undefined,
    evicted: JsonRecord = pod,
  ): { store: ReturnType<typeof storeOf>; done: Promise<string | undefined> } => {
    const store = storeOf({
      pods: [evicted],
      "poddisruptionbudgets.policy": status === undefined ? [] : [budget(status)],
    });
    return { store, done: refusal(() => evictPod(asked("a", named("a")), store)) };
  };

  it("deletes a pod that no budget guards, and says in it why it goes", async () => {
    const { store, done } = evict(undefined);

    assert.equal(await done, undefined);
    assert.equal(valueAt(store.log, 0, "object", "status", "conditions", 1, "reason"), "EvictionByEvictionAPI");
    assert.equal(valueAt(store.log, 1, "removed"), "a");
  });

  it("takes one from the budget", async () => {
    const { store, done } = evict({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });

    assert.equal(await done, undefined);
    const status = valueAt(store.log, 0, "object", "status");
    assert.ok(isRecord(status));
    assert.equal(status["disruptionsAllowed"], 0);
    assert.deepEqual(status["disruptedPods"], { a: "2026-01-01T00:00:00Z" });
    assert.equal(valueAt(status, "conditions", 0, "reason"), "InsufficientPods");
  });

  it("is refused without room, and while the budget is behind", async () => {
    const text = "429 Cannot evict pod as it would violate the pod's disruption budget.";
    assert.equal(await evict({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }).done, text);
    assert.equal(await evict({ observedGeneration: 0 }).done, text);
    const pending = { ...pod, status: { phase: "Pending" } };
    assert.equal(await evict({ disruptionsAllowed: 0 }, pending).done, undefined, "nobody misses it");
    const sick = { ...pod, status: { phase: "Running" } };
    assert.equal(await evict({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 }, sick).done, undefined);
  });
});

describe("logs and streams", () => {
  it("read their parameters as the real server does", async () => {
    const ask = (query: string): Promise<string | undefined> => refusal(() => readLogOptions(parseQuery(query), "p"));

    assert.deepEqual(readLogOptions(parseQuery("container=a&follow&tailLines=3"), "p"), {
      container: "a",
      isFollowed: true,
      isPrevious: false,
      hasTimestamps: false,
      tailLines: 3,
    });
    assert.equal(
      await ask("tailLines=-1"),
      '422 PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    );
    assert.equal(
      await ask("limitBytes=0"),
      '422 PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    );
    assert.equal(await ask("tailLines=x"), '400 strconv.ParseInt: parsing "x": invalid syntax');
    assert.match((await ask("sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z")) ?? "", /\[\]: Forbidden: at most one/);
  });

  it("need a container and a node", async () => {
    const two = named(
      "two",
      { spec: { containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "i" }] } },
      "team",
    );
    const ask = (query: string, pod: JsonRecord): Promise<string | undefined> =>
      refusal(() =>
        podStreamOf(
          { namespace: "team", name: "two", subresource: "exec", query: parseQuery(query) },
          readerOf({ pods: [pod] }),
        ),
      );

    assert.equal(await ask("", two), "400 a container name must be specified for pod two, choose one of: [i a b]");
    assert.equal(await ask("container=x", two), "400 container x is not valid for pod two");
    assert.equal(await ask("container=a", two), "400 pod two does not have a host assigned");
  });

  it("find the port of a pod to pass requests on to", async () => {
    const pod = named(
      "p",
      { spec: { containers: [{ ports: [{ containerPort: 8080 }] }] }, status: { podIP: "10.0.0.5" } },
      "team",
    );
    const place = (name: string): ReturnType<typeof proxyPlaceOf> =>
      proxyPlaceOf({ namespace: "team", name }, readerOf({ pods: [pod] }));

    assert.equal(place("p").port, "8080");
    assert.deepEqual([place("https:p:443").scheme, place("https:p:443").port], ["https", "443"]);
    assert.equal(await refusal(() => place("ftp:p:1")), '400 invalid pod request "ftp:p:1"');
    const local = { ...pod, status: { podIP: "127.0.0.1" } };
    assert.equal(
      await refusal(() => proxyPlaceOf({ namespace: "team", name: "p" }, readerOf({ pods: [local] }))),
      "400 address not allowed",
    );
  });
});

describe("scales", () => {
  const deployment = named(
    "d",
    {
      metadata: { uid: "u", resourceVersion: "7", labels: {} },
      spec: { replicas: 2, selector: { matchLabels: { b: "2", a: "1" } } },
      status: { replicas: 1 },
    },
    "team",
  );

  it("show the numbers of an object and take them back", () => {
    const view = scaleViewOf(kindOf("deployments.apps"));

    assert.deepEqual(view?.scaleOf(deployment), {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "d", namespace: "team", uid: "u", resourceVersion: "7" },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "a=1,b=2" },
    });
    const made = view?.withScale(deployment, { metadata: { resourceVersion: "6" }, spec: { replicas: 5 } });
    assert.equal(valueAt(made, "spec", "replicas"), 5);
    assert.equal(valueAt(made, "metadata", "resourceVersion"), "6");
    assert.equal(scaleViewOf(kindOf("configmaps")), undefined);
  });

  it("of custom resources are where their definition says", () => {
    const kind = {
      ...kindOf("configmaps"),
      scale: {
        specReplicasPath: ".spec.size.wanted",
        statusReplicasPath: ".status.size",
        labelSelectorPath: ".status.selector",
      },
    };
    const view = scaleViewOf(kind);
    const object = named("x", {
      metadata: { resourceVersion: "1" },
      spec: { size: { wanted: 3 }, other: 1 },
      status: { size: 2, selector: "a=b" },
    });

    assert.deepEqual(valueAt(view?.scaleOf(object), "status"), { replicas: 2, selector: "a=b" });
    assert.deepEqual(valueAt(view?.withScale(object, { spec: { replicas: 9 } }), "spec"), {
      size: { wanted: 9 },
      other: 1,
    });
  });

  it("are refused when they are less than none", async () => {
    const wanted = named("d", { spec: { replicas: -1 } }, "team");
    const resource = { group: "apps", resource: "deployments" };
    assert.equal(
      await refusal(() => checkScale(wanted, deployment, resource)),
      '422 Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });
});

describe("ServiceAllocation", () => {
  const service = (name: string, spec: object): JsonRecord =>
    named(name, { spec: { type: "ClusterIP", ports: [{ port: 80 }], ...spec } }, "team");
  const make = (stored: readonly JsonRecord[] = [], rest: object = {}): ServiceAllocation =>
    new ServiceAllocation({
      reader: readerOf({ services: stored }),
      clock: { monotonic: () => 0 },
      random: new SeededRandom(1),
      ...rest,
    });
  const given = (
    allocation: ServiceAllocation,
    object: JsonRecord,
    rest: Partial<AdmissionRequest> = {},
  ): JsonRecord => {
    const made = allocation.step.finish?.(requestFor("services", object, rest));
    return isRecord(made?.["spec"]) ? made["spec"] : {};
  };

  it("gives an address of the range that nobody has", () => {
    const allocation = make([], { range: "10.0.0.0/30" });

    const first = given(allocation, service("a", {}));
    const second = given(allocation, service("b", {}));

    assert.deepEqual(new Set([first["clusterIP"], second["clusterIP"]]), new Set(["10.0.0.1", "10.0.0.2"]));
    assert.deepEqual(first["ipFamilies"], ["IPv4"]);
  });

  it("is full when all are taken, and has room again when one goes", async () => {
    const stored = [service("a", { clusterIPs: ["10.0.0.1"] }), service("b", { clusterIPs: ["10.0.0.2"] })];
    const full = make(stored, { range: "10.0.0.0/30" });

    assert.equal(
      await refusal(() => given(full, service("c", {}))),
      '500 Internal error occurred: failed to allocate a serviceIP for Service "c": range is full',
    );
    stored.pop();
    assert.equal(given(full, service("c", {}))["clusterIP"], "10.0.0.2");
  });

  it("refuses what is taken, in its turn too", async () => {
    const allocation = make([service("a", { clusterIPs: ["10.96.0.9"], ports: [{ port: 1, nodePort: 30001 }] })]);
    const taken = service("b", { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] });
    const text =
      '422 Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated';

    assert.equal(await refusal(() => given(allocation, taken)), text);
    assert.equal(await refusal(() => allocation.step.atWrite?.(requestFor("services", taken))), text);
    const port = service("b", { type: "NodePort", ports: [{ port: 1, nodePort: 30001 }] });
    assert.match(
      (await refusal(() => given(allocation, port))) ?? "",
      /spec.ports\[0\].nodePort: Invalid value: 30001: provided port is already allocated/,
    );
  });

  it("keeps what an update does not say, and takes away what its type lost", () => {
    const old = service("a", {
      type: "NodePort",
      clusterIP: "10.96.0.9",
      clusterIPs: ["10.96.0.9"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ port: 1, nodePort: 30001 }],
    });
    const update = { operation: "UPDATE", oldObject: old } as const;

    const same = given(make([old]), service("a", { type: "NodePort", ports: [{ port: 1 }] }), update);
    const plain = given(
      make([old]),
      service("a", { type: "ClusterIP", ports: [{ port: 1, nodePort: 30001 }] }),
      update,
    );
    const name = given(
      make([old]),
      service("a", { type: "ExternalName", clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] }),
      update,
    );

    assert.equal(same["clusterIP"], "10.96.0.9");
    assert.deepEqual(same["ports"], [{ port: 1, nodePort: 30001 }]);
    assert.deepEqual(plain["ports"], [{ port: 1 }]);
    assert.equal("clusterIP" in name, false);
  });
});

describe("numbers to give away", () => {
  it("are those of a range", () => {
    assert.deepEqual(parseRange("10.96.5.7/12"), {
      text: "10.96.5.7/12",
      first: addressNumber("10.96.0.0"),
      size: 2 ** 20,
    });
    assert.equal(addressText(addressNumber("255.0.128.1") ?? 0), "255.0.128.1");
    for (const text of ["", "10.0.0.0", "10.0.0.0/33", "10.0.0.256/8", "::/64", "10.0.0.0/8/8"]) {
      assert.throws(() => parseRange(text), ArgumentError);
    }
  });

  it("leave the reserved ones to the end", () => {
    const random = new SeededRandom(1);
    const taken = new Set<number>();
    const order: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const number = freeNumber({ first: 1, last: 6, reserved: 2 }, (each) => taken.has(each), random);
      assert.ok(number !== undefined);
      taken.add(number);
      order.push(number);
    }

    assert.deepEqual(new Set(order.slice(0, 4)), new Set([3, 4, 5, 6]));
    assert.equal(
      freeNumber({ first: 1, last: 6, reserved: 2 }, (each) => taken.has(each), random),
      undefined,
    );
  });
});

describe("furtherObjects", () => {
  it("are complete objects of kinds that are served", () => {
    const objects = furtherObjects({ address: "127.0.0.1", port: 6443, nowMs: now, clientAuthority: "pem" });

    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${String(kind)} ${String(isRecord(metadata) ? metadata["name"] : "")}`),
      [
        "PriorityClass system-cluster-critical",
        "PriorityClass system-node-critical",
        "ConfigMap extension-apiserver-authentication",
        "ConfigMap kube-apiserver-legacy-service-account-token-tracking",
        "ServiceCIDR kubernetes",
        "Endpoints kubernetes",
        "EndpointSlice kubernetes",
      ],
    );
  });
});
