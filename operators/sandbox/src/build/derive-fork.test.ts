import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotations, labels } from "../api/identity.ts";
import { app, deployment, service } from "../testing/fork-baselines.ts";
import { type ForkCase, forkCases, forkInput } from "../testing/fork-cases.ts";
import { readBaseline } from "./baseline.ts";
import { type DerivedFork, deriveFork } from "./derive-fork.ts";
import type { ForkInput } from "./fork-input.ts";
import { isRefusal, type Refusal, refusalMessage } from "./refusal.ts";

const plain: ForkCase = { baseline: { kind: "Deployment", object: deployment() }, services: [service("cart")] };

function inputOf(change: Partial<ForkCase>, input: Partial<ForkInput> = {}): ForkInput {
  return { ...forkInput({ ...plain, ...change }), ...input };
}

function derive(change: Partial<ForkCase> = {}, input: Partial<ForkInput> = {}): DerivedFork {
  const fork = deriveFork(inputOf(change, input));
  assert.ok(!isRefusal(fork), isRefusal(fork) ? refusalMessage(fork) : "");
  return fork;
}

function refuse(change: Partial<ForkCase>, input: Partial<ForkInput> = {}): Refusal {
  const fork = deriveFork(inputOf(change, input));
  assert.ok(isRefusal(fork), "the fork was derived");
  return fork;
}

function containerOf({ deployment: { spec } }: DerivedFork, index = 0) {
  const container = spec.template.spec.containers[index];
  assert.ok(container !== undefined);
  return container;
}

function variable(fork: DerivedFork, name: string) {
  return containerOf(fork).env?.filter((each) => each.name === name);
}

describe("a fork", () => {
  it("has no status, revision, owner or finalizer of its baseline", () => {
    const { deployment: fork } = derive();

    assert.deepEqual(Object.keys(fork).toSorted(), ["apiVersion", "kind", "metadata", "spec"]);
    assert.deepEqual(Object.keys(fork.metadata).toSorted(), [
      "annotations",
      "labels",
      "name",
      "namespace",
      "ownerReferences",
    ]);
    assert.deepEqual(Object.keys(fork.metadata.annotations ?? {}), [annotations.templateHash]);
    assert.equal(fork.spec.paused, undefined);
  });

  it("has the replicas of its entry, and none while it is asleep", () => {
    assert.equal(derive({ entry: { replicas: 3 } }).deployment.spec.replicas, 3);
    assert.equal(derive({ entry: { replicas: 3 } }, { isAsleep: true }).deployment.spec.replicas, 0);
  });

  it("has the same template while it is asleep", () => {
    assert.equal(derive({}, { isAsleep: true }).templateHash, derive().templateHash);
  });

  it("has a deadline that the API server accepts if pods must be ready for longer than the timeout", () => {
    const object = deployment();
    const slow = { ...object, spec: { ...object.spec, minReadySeconds: 500 } };

    const { spec } = derive({ baseline: { kind: "Deployment", object: slow } }).deployment;

    assert.equal(spec.progressDeadlineSeconds, 501);
  });

  it("has another name for a sandbox that was created again", () => {
    const input = inputOf({});
    const again = { ...input, sandbox: { ...input.sandbox, metadata: { ...input.sandbox.metadata, uid: "other" } } };

    const [first, second] = [deriveFork(input), deriveFork(again)];

    assert.ok(!isRefusal(first) && !isRefusal(second));
    assert.notEqual(first.name, second.name);
  });

  it("has an owner only in the namespace of its sandbox", () => {
    assert.equal(derive().deployment.metadata.ownerReferences?.[0]?.controller, true);
    const other = derive({ namespace: "dev" });

    assert.equal(other.deployment.metadata.ownerReferences, undefined);
    assert.equal(other.deployment.metadata.namespace, "shop");
    assert.equal(other.services.services[0]?.service.metadata.ownerReferences, undefined);
  });

  it("selects its pods by its own name only", () => {
    const { deployment: fork, name } = derive({ labels: { team: "payments" } });

    assert.deepEqual(fork.spec.selector, { matchLabels: { [labels.fork]: name } });
    assert.equal(fork.spec.template.metadata?.labels?.["team"], "payments");
  });
});

describe("environment variables of a fork", () => {
  it("keep a value that the baseline gives to a variable of the sandbox", () => {
    const own = { ...app, env: [{ name: "SANDBOX_NAME", value: "mine" }] };
    const fork = derive({ baseline: { kind: "Deployment", object: deployment({ spec: { containers: [own] } }) } });

    assert.deepEqual(variable(fork, "SANDBOX_NAME"), [{ name: "SANDBOX_NAME", value: "mine" }]);
    assert.equal(variable(fork, "SANDBOX_NAMESPACE")?.length, 1);
  });

  it("keep a value that the entry gives to a variable of the sandbox", () => {
    const fork = derive({
      entry: { containers: [{ name: "app", env: [{ name: "SANDBOX_ROUTING_KEY", value: "x" }] }] },
    });

    assert.deepEqual(variable(fork, "SANDBOX_ROUTING_KEY"), [{ name: "SANDBOX_ROUTING_KEY", value: "x" }]);
  });

  it("keep their place when they are changed, and go when they are deleted", () => {
    const env = [
      { name: "LOG_LEVEL", operation: "Delete" },
      { name: "DB_PASSWORD", value: "test" },
      { name: "NEW", value: "1" },
    ] as const;
    const fork = derive({ entry: { containers: [{ name: "app", env: [...env] }] } });

    assert.deepEqual(
      containerOf(fork)
        .env?.slice(-2)
        .map(({ name, value }) => [name, value]),
      [
        ["DB_PASSWORD", "test"],
        ["NEW", "1"],
      ],
    );
    assert.deepEqual(variable(fork, "LOG_LEVEL"), []);
  });

  it("have the last of several values of the baseline, because server-side apply refuses duplicates", () => {
    const env = [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)" },
      { name: "A", value: "2" },
    ];
    const object = deployment({ spec: { containers: [{ ...app, env }] } });

    const fork = derive({ baseline: { kind: "Deployment", object } });

    assert.deepEqual(variable(fork, "A"), [{ name: "A", value: "2" }]);
  });

  it("refer to outputs of provision hooks by Secret, and contain addresses of other forks", () => {
    const env = [
      { name: "DSN", valueFrom: { provision: { name: "db", key: "DSN" } } },
      { name: "ORDERS", valueFrom: { fork: { name: "orders", expression: "host:port" } } },
      { name: "ORDERS_HOST", valueFrom: { fork: { name: "orders", expression: "host" } } },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ] as const;
    const sources = {
      outputs: new Map([["db", { secretName: "pr-42-db-1a2b", keys: ["DSN"] }]]),
      addresses: new Map([["orders", { host: "pr-42-orders-5e6f.shop.svc", port: 8080 }]]),
    };

    const fork = derive({ entry: { containers: [{ name: "app", env: [...env] }] } }, { sources });

    assert.deepEqual(containerOf(fork).env?.slice(-4), [
      { name: "DSN", valueFrom: { secretKeyRef: { name: "pr-42-db-1a2b", key: "DSN" } } },
      { name: "ORDERS", value: "pr-42-orders-5e6f.shop.svc:8080" },
      { name: "ORDERS_HOST", value: "pr-42-orders-5e6f.shop.svc" },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ]);
  });

  it("change the input hash when an address that they contain changes", () => {
    const entry = {
      containers: [
        { name: "app", env: [{ name: "O", valueFrom: { fork: { name: "orders", expression: "host" as const } } }] },
      ],
    };
    const hashes = ["a", "b"].map((host) => {
      const sources = { outputs: new Map(), addresses: new Map([["orders", { host, port: 1 }]]) };
      return derive({ entry }, { sources }).inputHash;
    });

    assert.notEqual(hashes[0], hashes[1]);
  });
});

describe("invalid references", () => {
  it("are all reported, with the field and the possible values", () => {
    const { reason, problems } = refuse({
      entry: {
        containers: [
          { name: "web", image: "x" },
          {
            name: "app",
            env: [
              { name: "A", valueFrom: { provision: { name: "db", key: "DSN" } } },
              { name: "B", valueFrom: { fork: { name: "orders", expression: "host" } } },
            ],
          },
        ],
      },
    });

    assert.equal(reason, "InvalidReference");
    assert.deepEqual(problems, [
      { path: "spec.services[cart].containers[web].name", message: "the baseline has no container web; it has app" },
      {
        path: "spec.services[cart].containers[app].env[A]",
        message: "there is no output of the provision hook db; add it to spec.provision",
      },
      {
        path: "spec.services[cart].containers[app].env[B]",
        message: "the entry orders has no address; name an entry of spec.services whose workload has a Service",
      },
    ]);
  });

  it("to outputs name those that exist", () => {
    const env = [{ name: "A", valueFrom: { provision: { name: "db", key: "URL" } } }];
    const outputs = new Map([["db", { secretName: "s", keys: ["DSN", "USER"] }]]);

    const refusal = refuse(
      { entry: { containers: [{ name: "app", env }] } },
      { sources: { outputs, addresses: new Map() } },
    );

    assert.match(refusalMessage(refusal), /the provision hook db has no output URL; it has DSN, USER/);
  });

  it("are patterns of preserved labels that RE2 does not know", () => {
    const { reason, problems } = refuse({ entry: { preserveLabels: ["ok", "(?=look)"] } });

    assert.equal(reason, "InvalidSpec");
    assert.equal(problems[0]?.path, "spec.services[cart].preserveLabels[1]");
  });
});

describe("pod labels of a fork", () => {
  it("are preserved only if a pattern matches the whole key", () => {
    const { deployment: fork } = derive({ entry: { preserveLabels: ["tie", "version"] } });
    const kept = Object.keys(fork.spec.template.metadata?.labels ?? {});

    assert.ok(kept.includes("version"));
    assert.ok(!kept.includes("tier") && !kept.includes("app"));
  });

  it("refuse a preserved label that a Service selects by", () => {
    const { reason, problems } = refuse({ entry: { preserveLabels: ["app"] } });

    assert.equal(reason, "LabelsMatchBaseline");
    assert.match(problems[0]?.message ?? "", /the Service cart would send requests to the fork: its selector app=cart/);
  });

  it("refuse a patched label that a Service selects by", () => {
    const value = { spec: { template: { metadata: { labels: { app: "cart" } } } } };

    assert.equal(refuse({ entry: { patches: [{ type: "Merge", value }] } }).reason, "LabelsMatchBaseline");
  });

  it("refuse a label of any Service of the namespace, also of one that the entry does not use", () => {
    const other = service("all-of-v14", { selector: { version: "v14" } });
    const refusal = refuse({ services: [service("cart"), other], entry: { preserveLabels: ["version"] } });

    assert.match(refusalMessage(refusal), /the Service all-of-v14/);
  });

  it("refuse the selector that a Service has when no proxy stands in for its pods", () => {
    const taken = service("cart", { selector: { [labels.proxy]: "true" } });
    const original = JSON.stringify({ selector: { app: "cart" }, targetPorts: { "80": 8080 } });
    const metadata = { ...taken.metadata, annotations: { [annotations.original]: original } };

    const refusal = refuse({ services: [{ ...taken, metadata }], entry: { preserveLabels: ["app"] } });

    assert.equal(refusal.reason, "LabelsMatchBaseline");
  });

  it("lack labels of the Sandbox that would complete a selector, and the entry says so", () => {
    const fork = derive({ labels: { app: "cart", team: "payments" } });
    const podLabels = fork.deployment.spec.template.metadata?.labels ?? {};

    assert.equal(podLabels["app"], undefined);
    assert.equal(podLabels["team"], "payments");
    assert.equal(fork.deployment.metadata.labels?.["app"], "cart");
    assert.equal(fork.services.services[0]?.service.metadata.labels?.["app"], "cart");
    assert.match(fork.notes.join(), /do not have the labels app of spec\.labels/);
  });

  it("are those of the operator, whatever the Sandbox and patches say", () => {
    const value = { spec: { template: { metadata: { labels: { [labels.fork]: "x", [labels.managedBy]: "y" } } } } };
    const fork = derive({ labels: { [labels.managedBy]: "z" }, entry: { patches: [{ type: "Strategic", value }] } });
    const podLabels = fork.deployment.spec.template.metadata?.labels ?? {};

    assert.equal(podLabels[labels.fork], fork.name);
    assert.equal(podLabels[labels.managedBy], "sandbox-operator");
  });
});

describe("volumes and limits of a fork", () => {
  it("report claims that cannot be used on two nodes, unless they are empty volumes", () => {
    const volumes = forkCases["volumes"];
    assert.ok(volumes !== undefined);

    assert.deepEqual(derive(volumes).blockingClaims, ["cart-uploads"]);
    assert.deepEqual(derive({ ...volumes, claims: { "cart-uploads": ["ReadWriteMany"] } }).blockingClaims, []);
    assert.deepEqual(derive({ ...volumes, claims: { "cart-uploads": ["ReadWriteOncePod"] } }).blockingClaims, [
      "cart-uploads",
    ]);
    assert.deepEqual(derive({ ...volumes, claims: {} }).blockingClaims, []);
    assert.deepEqual(derive({ ...volumes, entry: { volumes: "Ephemeral" } }).blockingClaims, []);
  });

  it("have a limit for each container: its own, else its request, else the default", () => {
    const spec = {
      containers: [
        { name: "a", image: "i", resources: { requests: { cpu: "2", memory: "1Gi" }, limits: { memory: "512Mi" } } },
        { name: "b", image: "i" },
      ],
      initContainers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }],
    };
    const { template } = derive({ baseline: { kind: "Deployment", object: deployment({ spec }) } }).deployment.spec;
    const resources = [...template.spec.containers, ...(template.spec.initContainers ?? [])].map(
      (each) => each.resources,
    );

    assert.deepEqual(resources, [
      { requests: { cpu: "2", memory: "512Mi" }, limits: { cpu: "2", memory: "512Mi" } },
      { limits: { cpu: "500m", memory: "512Mi" } },
      { requests: { cpu: "100m" }, limits: { cpu: "100m", memory: "512Mi" } },
    ]);
  });

  it("have no limits below those of the whole pod", () => {
    const spec = { containers: [{ name: "a", image: "i" }], resources: { limits: { cpu: "1" } } };
    const fork = derive({ baseline: { kind: "Deployment", object: deployment({ spec }) } });

    assert.deepEqual(containerOf(fork).resources, { limits: { memory: "512Mi" } });
  });
});

describe("a baseline", () => {
  it("is absent while the workload that a Rollout refers to does not exist", () => {
    const each = forkCases["rollout-workload-ref"];
    assert.ok(each !== undefined);

    assert.equal(readBaseline({ ...each.baseline, referenced: undefined }), undefined);
  });

  it("has another generation when the workload that a Rollout refers to changes", () => {
    const { baseline } = forkCases["rollout-workload-ref"] ?? {};
    assert.ok(baseline?.referenced !== undefined);
    const { referenced } = baseline;
    const changed = { ...referenced, metadata: { ...referenced.metadata, generation: 3 } };

    const generations = [referenced, changed].map(
      (each) => readBaseline({ ...baseline, referenced: each })?.generation,
    );

    assert.notEqual(generations[0], generations[1]);
  });

  it("is absent if its template is not one", () => {
    const object = Object.freeze({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Rollout",
      metadata: { name: "r" },
      spec: { template: { spec: { containers: "many" } } },
    });

    assert.equal(readBaseline({ kind: "Rollout", object }), undefined);
  });
});
