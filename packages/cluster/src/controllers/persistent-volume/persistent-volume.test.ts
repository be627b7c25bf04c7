import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { boundClaim, boundVolume, claimStatus, podClaims } from "./bound.ts";
import { type ClaimStep, type ClaimView, decideClaim } from "./decide-claim.ts";
import { decideVolume, reclaim, unbound } from "./decide-volume.ts";
import { simulatedStorageClass } from "./simulated-class.ts";
import { provisionedVolume, needsVolume, requestedSize } from "./provisioned-volume.ts";
import {
  capacityOf,
  type Claim,
  type Class,
  defaultClass,
  findVolume,
  mismatch,
  annotation,
  requestOf,
  type Volume,
} from "./volumes.ts";

function claim(spec: Claim["spec"] = {}, more: Omit<Partial<Claim>, "spec"> = {}): Claim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "shop", uid: "claim", resourceVersion: "7", ...more.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "",
      ...spec,
    },
    status: { phase: "Pending", ...more.status },
  };
}

function volume(name: string, spec: Volume["spec"] = {}, more: Omit<Partial<Volume>, "spec"> = {}): Volume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `uid-${name}`, ...more.metadata },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase: "Available", ...more.status },
  };
}

function storageClass(name: string, more: Partial<Class> = {}): Class {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "example.com/x",
    ...more,
  };
}

const view = (more: Partial<ClaimView> = {}): ClaimView => ({
  claim: claim(),
  volumes: [],
  classes: [],
  waitingPods: [],
  isScheduled: false,
  ...more,
});

const summaryOf = (step: ClaimStep): string =>
  "event" in step && step.event !== undefined ? `${step.type} ${step.event.reason}: ${step.event.message}` : step.type;

const delayed = storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
const bound = { [annotation.bindCompleted]: "yes" };

const table: readonly (readonly [string, ClaimView, string])[] = [
  [
    "without a class and a volume stays pending",
    view(),
    "phase FailedBinding: no persistent volumes available for this claim and no storage class is set",
  ],
  [
    "that names no class gets the default class",
    view({
      claim: { ...claim(), spec: {} },
      classes: [storageClass("std", { metadata: { name: "std", annotations: { [annotation.defaultClass]: "true" } } })],
    }),
    "assign-class",
  ],
  ["binds to a fitting volume", view({ volumes: [volume("a")] }), "bind"],
  [
    "of an unknown class gets an event",
    view({ claim: claim({ storageClassName: "x" }) }),
    'event ProvisioningFailed: storageclass.storage.k8s.io "x" not found',
  ],
  [
    "of a class without a provisioner gets an event",
    view({
      claim: claim({ storageClassName: "n" }),
      classes: [storageClass("n", { provisioner: "kubernetes.io/no-provisioner" })],
    }),
    "event ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
  ],
  [
    "of a WaitForFirstConsumer class waits for a pod",
    view({ claim: claim({ storageClassName: "late" }), classes: [delayed] }),
    "phase WaitForFirstConsumer: waiting for first consumer to be created before binding",
  ],
  [
    "of a WaitForFirstConsumer class waits until its pods are scheduled",
    view({ claim: claim({ storageClassName: "late" }), classes: [delayed], waitingPods: ["a", "b"] }),
    "phase WaitForPodScheduled: waiting for pods a,b to be scheduled",
  ],
  [
    "that has lost its volume",
    view({ claim: claim({ volumeName: "gone" }, { metadata: { annotations: bound } }) }),
    "phase ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  ],
  [
    "whose volume belongs to another claim",
    view({
      claim: claim({ volumeName: "a" }, { metadata: { annotations: bound } }),
      volumes: [volume("a", { claimRef: { uid: "other" } })],
    }),
    "phase ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly",
  ],
  ["that names a missing volume", view({ claim: claim({ volumeName: "a" }) }), "phase"],
  [
    "that names a volume that is too small",
    view({ claim: claim({ volumeName: "a" }), volumes: [volume("a", { capacity: { storage: "1Mi" } })] }),
    'phase VolumeMismatch: Cannot bind to requested volume "a": requested PV is too small',
  ],
  [
    "that names a volume of another claim",
    view({ claim: claim({ volumeName: "a" }), volumes: [volume("a", { claimRef: { name: "x", namespace: "shop" } })] }),
    'phase FailedBinding: volume "a" already bound to a different claim.',
  ],
];

describe("a claim", () => {
  for (const [what, given, expected] of table) {
    it(`${what}: ${expected.split(":", 1)[0]}`, () => {
      assert.equal(summaryOf(decideClaim(given)), expected);
    });
  }

  it("of a WaitForFirstConsumer class is provisioned when a node is selected or a pod that uses it has one", () => {
    const chosen = claim(
      { storageClassName: "late" },
      { metadata: { annotations: { [annotation.selectedNode]: "n" } } },
    );

    assert.equal(decideClaim(view({ claim: chosen, classes: [delayed] })).type, "provision");
    const used = view({ claim: claim({ storageClassName: "late" }), classes: [delayed], isScheduled: true });
    assert.equal(decideClaim(used).type, "provision");
  });

  it("never gets a volume that is too small, of another class or of another claim", () => {
    const size = fc.integer({ min: 1, max: 8 }).map((number) => `${number}Gi`);
    const arbitrary = fc.array(
      fc.record({
        size,
        class: fc.constantFrom("", "x"),
        phase: fc.constantFrom("Available", "Bound", "Released"),
        owner: fc.constantFrom(undefined, "data", "other"),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(size, arbitrary, (expected, given) => {
        const asking = claim({ resources: { requests: { storage: expected } } });
        const volumes = given.map((one, index) =>
          volume(
            `v${index}`,
            {
              capacity: { storage: one.size },
              storageClassName: one.class,
              ...(one.owner === undefined ? {} : { claimRef: { name: one.owner, namespace: "shop" } }),
            },
            {
              status: { phase: one.phase === "Available" ? "Available" : one.phase === "Bound" ? "Bound" : "Released" },
            },
          ),
        );

        const found = findVolume(asking, volumes, { isDelayed: false });

        if (found === undefined) return;
        assert.ok(!capacityOf(found).isLessThan(requestOf(asking)));
        assert.notEqual(found.spec?.claimRef?.name, "other");
        if (found.spec?.claimRef !== undefined) return;
        assert.equal(found.spec?.storageClassName, "");
        assert.equal(mismatch(found, asking), undefined);
        const smaller = volumes.filter(
          (other) =>
            other.status?.phase === "Available" &&
            other.spec?.claimRef === undefined &&
            mismatch(other, asking) === undefined &&
            capacityOf(other).isLessThan(capacityOf(found)),
        );
        assert.deepEqual(smaller, []);
      }),
    );
  });
});

describe("a binding", () => {
  it("is written to claim and volume, and only once", () => {
    const takenVolume = boundVolume(volume("a"), claim());
    const takenClaim = boundClaim(claim(), takenVolume);

    assert.deepEqual(takenVolume.metadata.annotations, { [annotation.boundByController]: "yes" });
    assert.equal(takenVolume.spec?.claimRef?.uid, "claim");
    assert.deepEqual(takenClaim.metadata.annotations, {
      [annotation.boundByController]: "yes",
      [annotation.bindCompleted]: "yes",
    });
    assert.equal(takenClaim.spec?.volumeName, "a");
    assert.equal(boundVolume(takenVolume, takenClaim), takenVolume);
    assert.equal(boundClaim(takenClaim, takenVolume), takenClaim);
  });

  it("of a volume reserved by hand is not marked as bound by the controller", () => {
    const reserved = volume("a", { claimRef: { name: "data", namespace: "shop" } });

    const taken = boundVolume(reserved, claim());

    assert.equal(taken.metadata.annotations, undefined);
    assert.equal(taken.spec?.claimRef?.uid, "claim");
    assert.deepEqual(unbound(taken).spec?.claimRef, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      name: "data",
      namespace: "shop",
      resourceVersion: "7",
    });
  });

  it("shows the properties of the volume, and keeps the size of a claim that is bound already", () => {
    const large = volume("a", { capacity: { storage: "5Gi" } });

    const status = claimStatus(claim(), { phase: "Bound", volume: large });

    assert.deepEqual(status, { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "5Gi" } });
    const grown = claimStatus(claim({}, { status: { phase: "Bound", capacity: { storage: "1Gi" } } }), {
      phase: "Bound",
      volume: large,
    });
    assert.deepEqual(grown.capacity, { storage: "1Gi" });
    assert.deepEqual(claimStatus(claim({}, { status }), { phase: "Lost" }), { phase: "Lost" });
  });
});

describe("a volume", () => {
  const claimRef = { name: "data", namespace: "shop", uid: "claim" };

  it("gets its phase from its claim", () => {
    assert.deepEqual(decideVolume(volume("a"), undefined), { type: "phase", phase: "Available" });
    assert.deepEqual(decideVolume(volume("a", { claimRef: { ...claimRef, uid: "" } }), claim()), {
      type: "phase",
      phase: "Available",
    });
    assert.deepEqual(decideVolume(volume("a", { claimRef }), undefined), { type: "release" });
    assert.deepEqual(decideVolume(volume("a", { claimRef: { ...claimRef, uid: "old" } }), claim()), {
      type: "release",
    });
    assert.deepEqual(decideVolume(volume("a", { claimRef }), claim({ volumeName: "a" })), {
      type: "phase",
      phase: "Bound",
    });
    assert.deepEqual(decideVolume(volume("a", { claimRef }), claim()), { type: "queue-claim" });
    assert.deepEqual(decideVolume(volume("a", { claimRef }), claim({ volumeName: "b" })), { type: "unbind" });
    assert.equal(decideVolume(volume("a", { claimRef, volumeMode: "Block" }), claim()).type, "mismatch");
    const made = volume(
      "a",
      { claimRef, persistentVolumeReclaimPolicy: "Delete" },
      { metadata: { name: "a", annotations: { [annotation.provisionedBy]: "x" } } },
    );
    assert.deepEqual(decideVolume(made, claim({ volumeName: "b" })), { type: "release" });
  });

  it("that is released is deleted by its provisioner or plugin", () => {
    const policy = { persistentVolumeReclaimPolicy: "Delete" } as const;

    assert.equal(reclaim(volume("a")).type, "keep");
    assert.equal(reclaim(volume("a", { ...policy, csi: { driver: "x", volumeHandle: "y" } })).type, "keep");
    assert.equal(reclaim(volume("a", { ...policy, hostPath: { path: "/tmp/x" } })).type, "delete");
    assert.equal(reclaim(volume("a", { ...policy, hostPath: { path: "/srv" } })).type, "failed");
    assert.equal(reclaim(volume("a", { ...policy, nfs: { server: "s", path: "/" } })).type, "failed");
  });
});

describe("a provisioner", () => {
  it("creates one volume for a claim, with the requested properties", () => {
    const asking = claim({ storageClassName: "std" });
    const made = provisionedVolume(asking, storageClass("std", { reclaimPolicy: "Retain", mountOptions: ["ro"] }));

    assert.equal(needsVolume(asking, []), true);
    assert.equal(needsVolume(asking, [made]), false);
    assert.equal(made.metadata.name, "pvc-claim");
    assert.equal(mismatch(made, asking), undefined);
    assert.deepEqual([made.spec?.persistentVolumeReclaimPolicy, made.spec?.mountOptions], ["Retain", ["ro"]]);
  });

  it("expands a volume when its claim requests more", () => {
    const status = { phase: "Bound", capacity: { storage: "1Gi" } } as const;
    const grown = claim({ volumeName: "a", resources: { requests: { storage: "2Gi" } } }, { status });

    assert.equal(requestedSize(grown, volume("a")), "2Gi");
    assert.equal(requestedSize(claim({ volumeName: "a" }, { status }), volume("a")), undefined);
  });
});

describe("the default storage class", () => {
  it("is the newest of several", () => {
    const annotations = { [annotation.defaultClass]: "true" };
    const old = storageClass("old", {
      metadata: { name: "old", annotations, creationTimestamp: "2026-01-01T00:00:00Z" },
    });
    const young = storageClass("young", {
      metadata: { name: "young", annotations, creationTimestamp: "2026-01-02T00:00:00Z" },
    });

    assert.equal(defaultClass([old, young, storageClass("other")]), young);
    assert.equal(defaultClass([storageClass("other")]), undefined);
    assert.equal(defaultClass([storageClass("other"), simulatedStorageClass]), simulatedStorageClass);
  });
});

describe("the claims of a pod", () => {
  it("are those that it names and those of its ephemeral volumes", () => {
    const volumes = [
      { name: "a", persistentVolumeClaim: { claimName: "data" } },
      { name: "b", ephemeral: {} },
      { name: "c", emptyDir: {} },
    ];
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop" }, spec: { volumes } };

    assert.deepEqual(podClaims(pod), ["shop/data", "shop/web-b"]);
    const { spec: _, ...bare } = pod;
    assert.deepEqual(podClaims(bare), []);
  });
});
