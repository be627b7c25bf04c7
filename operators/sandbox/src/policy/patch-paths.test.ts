import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deniedFields, type Patch, touchedFields } from "./patch-paths.ts";

const none = { allowPatchPaths: [], denyPatchPaths: [] };
const ofPod = (spec: object): Patch => ({ type: "Merge", value: { spec: { template: { spec } } } });
const ofContainer = (list: string, securityContext: object): Patch =>
  ofPod({ [list]: [{ name: "app", securityContext }] });
const json = (...value: object[]): Patch => ({ type: "JSON", value });
const rulesOf = (patch: Patch): string[] => deniedFields(patch, none).map(({ rule }) => rule);

describe("guarded fields", () => {
  const refused: readonly (readonly [rule: string, patch: Patch])[] = [
    ["ServiceAccount", ofPod({ serviceAccountName: "admin" })],
    ["ServiceAccount", ofPod({ serviceAccount: "admin" })],
    ["ServiceAccountToken", ofPod({ automountServiceAccountToken: true })],
    ["HostNetwork", ofPod({ hostNetwork: true })],
    ["HostPID", ofPod({ hostPID: true })],
    ["HostIPC", ofPod({ hostIPC: true })],
    ["HostUsers", ofPod({ hostUsers: true })],
    ["RunAsRoot", ofPod({ securityContext: { runAsUser: 0 } })],
    ["RunAsRoot", ofContainer("containers", { runAsUser: 0 })],
    ["Capabilities", ofContainer("containers", { capabilities: { add: ["NET_ADMIN"] } })],
    ["Privileged", ofContainer("initContainers", { privileged: true })],
    ["PrivilegeEscalation", ofContainer("ephemeralContainers", { allowPrivilegeEscalation: true })],
    ["ProcMount", ofContainer("containers", { procMount: "Unmasked" })],
    ["HostPathVolume", ofPod({ volumes: [{ name: "a", hostPath: { path: "/" } }] })],
    [
      "TokenVolume",
      ofPod({ volumes: [{ name: "a", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] }),
    ],
    ["CsiVolume", ofPod({ volumes: [{ name: "a", csi: { driver: "d" } }] })],
    ["NodeName", ofPod({ nodeName: "n" })],
    ["PriorityClass", ofPod({ priorityClassName: "high" })],
    ["Scheduler", ofPod({ schedulerName: "mine" })],
    ["RuntimeClass", ofPod({ runtimeClassName: "none" })],
    ["ProcessNamespace", ofPod({ shareProcessNamespace: true })],
    ["HostAliases", ofPod({ hostAliases: [{ ip: "1.2.3.4", hostnames: ["orders"] }] })],
    ["HostAliases", ofPod({ hostAliases: [{ ip: "1.2.3.4", hostnames: ["orders.shop.svc"] }] })],
    ["HostNetwork", json({ op: "add", path: "/spec/template/spec/hostNetwork", value: true })],
    [
      "Privileged",
      json({ op: "add", path: "/spec/template/spec/containers/0/securityContext", value: { privileged: true } }),
    ],
    ["HostPathVolume", json({ op: "add", path: "/spec/template/spec/volumes/-", value: { name: "a", hostPath: {} } })],
    ["HostNetwork", json({ op: "replace", path: "", value: { spec: { template: { spec: { hostNetwork: true } } } } })],
  ];
  for (const [rule, patch] of refused) {
    it(`include ${rule} (${JSON.stringify(patch.value).slice(0, 90)})`, () => {
      assert.deepEqual(rulesOf(patch), [rule]);
    });
  }

  const allowed: readonly Patch[] = [
    ofPod({ hostNetwork: false, automountServiceAccountToken: false, nodeSelector: { a: "b" } }),
    ofContainer("containers", {
      privileged: false,
      runAsUser: 1000,
      capabilities: { drop: ["ALL"], add: [] },
      procMount: "Default",
    }),
    ofPod({ hostAliases: [{ ip: "1.2.3.4", hostnames: ["db.example.com"] }] }),
    ofPod({ volumes: [{ name: "a", emptyDir: {} }] }),
    json({ op: "remove", path: "/spec/template/spec/serviceAccountName" }),
    json({ op: "test", path: "/spec/template/spec/hostNetwork", value: true }),
    { type: "Merge", value: { metadata: { annotations: { hostNetwork: "true" } } } },
  ];
  for (const patch of allowed) {
    it(`allow ${JSON.stringify(patch.value).slice(0, 90)}`, () => {
      assert.deepEqual(rulesOf(patch), []);
    });
  }

  it("can be allowed by the path of a policy, also with positions in lists", () => {
    const patch = ofContainer("containers", { privileged: true });
    const allow = (path: string): string[] =>
      deniedFields(patch, { ...none, allowPatchPaths: [path] }).map(({ rule }) => rule);

    assert.deepEqual(allow("/spec/template/spec/containers/*/securityContext/privileged"), []);
    assert.deepEqual(allow("/spec/template/spec/containers"), []);
    assert.deepEqual(allow("/spec/template/spec/initContainers"), ["Privileged"]);
    assert.deepEqual(allow("/a~b"), ["Privileged"]);
  });
});

describe("denied paths", () => {
  const deny = (patch: Patch, ...denyPatchPaths: string[]): string[] =>
    deniedFields(patch, { ...none, denyPatchPaths }).map(({ pointer }) => pointer);

  it("include everything below them, reported once", () => {
    const patch: Patch = {
      type: "Strategic",
      value: { spec: { template: { spec: { nodeSelector: { a: "b", c: "d" } } } } },
    };

    assert.deepEqual(deny(patch, "/spec/template/spec/nodeSelector"), ["/spec/template/spec/nodeSelector"]);
    assert.deepEqual(deny(patch, "/spec/template/spec/nodeSelector/a"), ["/spec/template/spec/nodeSelector/a"]);
    assert.deepEqual(deny(patch, "/spec/replicas"), []);
  });

  it("include removals and both ends of moves", () => {
    const move = json({ op: "move", from: "/spec/template/spec/volumes/0", path: "/spec/template/spec/volumes/1" });

    assert.deepEqual(deny(json({ op: "remove", path: "/spec/replicas" }), "/spec/replicas"), ["/spec/replicas"]);
    assert.deepEqual(deny(move, "/spec/template/spec/volumes/0"), ["/spec/template/spec/volumes/0"]);
  });
});

describe("touchedFields", () => {
  it("ignores malformed operations", () => {
    assert.deepEqual([...touchedFields(json({}, { path: 3 }, { op: "add", path: "x", value: 1 }))], []);
    assert.deepEqual([...touchedFields({ type: "JSON", value: "x" })], []);
  });
});
