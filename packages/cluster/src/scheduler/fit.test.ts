import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Node, NodeSpec, Pod, PodSpec } from "@homeostat/kubernetes/core/v1";
import { NodeUsage } from "./node-usage.ts";
import { blockedMessage, load, misfit, type NodeState, unschedulableMessage } from "./fit.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { requestsOf } from "./requests.ts";
import { isTolerated } from "./taints.ts";

const pod = (requests: Record<string, string> = {}, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [{ name: "a", image: "x", resources: { requests } }], ...spec },
});
const node = (spec: NodeSpec = {}, labels: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels },
  spec,
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "3" } },
});
const state = (pods: Pod[] = [], of: Node = node()): NodeState => ({ node: of, usage: NodeUsage.of(pods) });

describe("misfit", () => {
  it("checks resources", () => {
    const reasons = (one: Pod, pods: Pod[] = []): readonly string[] | undefined => misfit(one, state(pods))?.reasons;

    assert.equal(reasons(pod({ cpu: "4", memory: "8Gi" })), undefined);
    assert.deepEqual(reasons(pod({ cpu: "4001m", memory: "9Gi" })), ["Insufficient cpu", "Insufficient memory"]);
    assert.deepEqual(reasons(pod({ cpu: "2" }), [pod({ cpu: "2500m" })]), ["Insufficient cpu"]);
    assert.deepEqual(reasons(pod(), [pod(), pod(), pod()]), ["Too many pods"]);
    assert.deepEqual(reasons(pod({ "example.com/gpu": "1" })), ["Insufficient example.com/gpu"]);
  });

  it("checks taints and whether the node is schedulable", () => {
    const tainted = node({ taints: [{ key: "a", value: "b", effect: "NoSchedule" }] });
    const preferring = node({ taints: [{ key: "a", effect: "PreferNoSchedule" }] });
    const tolerant = pod({}, { tolerations: [{ key: "a", operator: "Equal", value: "b" }] });
    const cordoned = node({ unschedulable: true });

    assert.deepEqual(misfit(pod(), state([], tainted))?.reasons, ["node(s) had untolerated taint(s)"]);
    assert.equal(misfit(tolerant, state([], tainted)), undefined);
    assert.equal(misfit(pod(), state([], preferring)), undefined);
    assert.deepEqual(misfit(pod(), state([], cordoned))?.reasons, ["node(s) were unschedulable"]);
  });

  it("checks host ports", () => {
    const ports = (hostPort: number, hostIP?: string): Pod =>
      pod(
        {},
        {
          containers: [
            {
              name: "a",
              image: "x",
              ports: [{ containerPort: 1, hostPort, ...(hostIP === undefined ? {} : { hostIP }) }],
            },
          ],
        },
      );

    assert.equal(misfit(ports(80), state([ports(81)])), undefined);
    assert.equal(misfit(ports(80, "10.0.0.1"), state([ports(80, "10.0.0.2")])), undefined);
    assert.ok(misfit(ports(80), state([ports(80, "10.0.0.2")])));
  });

  it("is explained in the words of kube-scheduler", () => {
    const no = (reason: string, isResolvable: boolean): { reasons: string[]; isResolvable: boolean } => ({
      reasons: [reason],
      isResolvable,
    });

    assert.equal(unschedulableMessage([]), "no nodes available to schedule pods");
    assert.equal(
      unschedulableMessage([
        no("Insufficient cpu", true),
        no("node(s) had untolerated taint(s)", false),
        no("Insufficient cpu", false),
      ]),
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, " +
        "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    );
    assert.equal(
      blockedMessage(2, "pod has unbound immediate PersistentVolumeClaims"),
      "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    );
  });

  it("leaves a choice of nodes by load", () => {
    assert.equal(load(state()), 0);
    assert.equal(load(state([pod({ cpu: "2", memory: "2Gi" })])), 0.375);
  });
});

describe("the requests of a pod", () => {
  const of = (one: Pod): Record<string, number> =>
    Object.fromEntries([...requestsOf(one)].map(([name, amount]) => [name, Number(amount)]));
  const container = (name: string, cpu: string, more: object = {}): PodSpec["containers"][number] => ({
    name,
    image: "x",
    resources: { requests: { cpu } },
    ...more,
  });

  it("are the sum over its containers, or those of an init container alone", () => {
    const containers = [container("a", "100m"), container("b", "200m")];

    assert.deepEqual(of(pod({}, { containers })), { cpu: 300 });
    assert.deepEqual(of(pod({}, { containers, initContainers: [container("i", "1")] })), { cpu: 1000 });
    assert.deepEqual(of(pod({}, { containers, overhead: { cpu: "10m" } })), { cpu: 310 });
  });

  it("count sidecars with the containers, and with the init containers after them", () => {
    const sidecar = container("s", "500m", { restartPolicy: "Always" });
    const containers = [container("a", "100m")];

    assert.deepEqual(of(pod({}, { containers, initContainers: [sidecar] })), { cpu: 600 });
    assert.deepEqual(of(pod({}, { containers, initContainers: [sidecar, container("i", "300m")] })), { cpu: 800 });
    assert.deepEqual(of(pod({}, { containers, initContainers: [container("i", "300m"), sidecar] })), { cpu: 600 });
  });
});

describe("node affinity", () => {
  const at = node({}, { zone: "a", cores: "8" });
  const wants = (
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt",
    key: string,
    values?: string[],
  ): boolean => {
    const terms = [{ matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    return matchesNodeAffinity(at, pod({}, { affinity: { nodeAffinity } }));
  };

  it("matches labels of the node", () => {
    assert.equal(wants("In", "zone", ["a", "b"]), true);
    assert.equal(wants("NotIn", "zone", ["a"]), false);
    assert.equal(wants("NotIn", "other", ["a"]), true);
    assert.equal(wants("Exists", "zone"), true);
    assert.equal(wants("Exists", "toString"), false);
    assert.equal(wants("DoesNotExist", "zone"), false);
    assert.equal(wants("Gt", "cores", ["7"]), true);
    assert.equal(wants("Lt", "cores", ["8"]), false);
    assert.equal(wants("Gt", "zone", ["7"]), false);
    assert.equal(matchesNodeAffinity(at, pod({}, { nodeSelector: { zone: "b" } })), false);
  });

  it("matches nothing with an empty term", () => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } };

    assert.equal(matchesNodeAffinity(at, pod({}, { affinity: { nodeAffinity } })), false);
  });
});

describe("isTolerated", () => {
  it("compares key, value and effect, each unless it is empty", () => {
    const taint = { key: "a", value: "b", effect: "NoExecute" } as const;

    assert.equal(isTolerated(taint, [{ operator: "Exists" }]), true);
    assert.equal(isTolerated(taint, [{ key: "a", operator: "Exists", effect: "NoSchedule" }]), false);
    assert.equal(isTolerated(taint, [{ key: "a", value: "b" }]), true);
    assert.equal(isTolerated(taint, [{ key: "a", value: "c" }]), false);
    assert.equal(isTolerated(taint, []), false);
  });
});
