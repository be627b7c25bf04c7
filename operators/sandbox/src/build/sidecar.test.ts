import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertGolden, assertNoOtherGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import type { Pod, PodSpec } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import { injectSidecar } from "./sidecar.ts";
import { renamedPort } from "./sidecar-ports.ts";

const options = { image: "sandbox-proxy:1.0.0", systemNamespace: "sandbox-system" };

function podOf(spec: Partial<PodSpec> = {}, metadata: Pod["metadata"] = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "cart-1", ...metadata, annotations: { [annotations.inject]: "true" } },
    spec: { containers: [{ name: "app", image: "cart:1", ports: [{ name: "http", containerPort: 8080 }] }], ...spec },
  };
}

function injected(pod: Pod): Pod {
  const result = injectSidecar(pod, options);
  assert.ok("pod" in result, "refused" in result ? result.refused : "");
  return result.pod;
}

const app = (change: Partial<PodSpec["containers"][number]>): Pick<PodSpec, "containers"> => ({
  containers: [{ name: "app", image: "cart:1", ...change }],
});

/** Pods with the sidecar, as golden files. */
const cases: Readonly<Record<string, Pod>> = {
  "one-port": podOf(),
  "probes-by-name": podOf(
    app({
      ports: [
        { name: "http", containerPort: 8080 },
        { name: "a-longer-name", containerPort: 9000, protocol: "TCP" },
      ],
      livenessProbe: { httpGet: { path: "/live", port: "http" } },
      readinessProbe: { tcpSocket: { port: "a-longer-name" } },
      startupProbe: { httpGet: { path: "/start", port: 8080 } },
      lifecycle: { preStop: { httpGet: { path: "/stop", port: "http" } } },
    }),
  ),
  "skipped-ports": podOf({
    containers: [
      {
        name: "app",
        image: "cart:1",
        ports: [
          { containerPort: 8080 },
          { name: "http", containerPort: 8081 },
          { name: "dns", containerPort: 53, protocol: "UDP" },
          { name: "taken", containerPort: 19_100 },
        ],
      },
      { name: "helper", image: "helper:1", ports: [{ name: "taken", containerPort: 9100 }] },
    ],
  }),
  "root-and-guaranteed": podOf({
    securityContext: { runAsUser: 0 },
    ...app({
      ports: [{ name: "http", containerPort: 8080 }],
      resources: { limits: { cpu: "1", memory: "1Gi" } },
    }),
  }),
};

const folder = new URL("../../golden/sidecars/", import.meta.url);

describe("a pod with a sidecar", () => {
  for (const [name, pod] of Object.entries(cases)) {
    it(`is that of the golden file ${name}`, () => {
      assertGolden(folder, name, toYaml(injected(pod)));
    });

    it(`does not change when it is injected again: ${name}`, () => {
      const once = injected(pod);
      assert.deepEqual(injected(once), once);
    });
  }

  it("has a golden file for each case", () => assertNoOtherGolden(folder, Object.keys(cases)));

  it("hands over ports of containers that another webhook has added, and keeps changes of its own container", () => {
    const once = injected(podOf());
    const containers = (once.spec?.containers ?? []).map((each) =>
      each.name === "sandbox-proxy" ? { ...each, image: "mirror/sandbox-proxy:1.0.0" } : each,
    );
    const added = { name: "mesh", image: "mesh:1", ports: [{ name: "mesh", containerPort: 15_000 }] };
    const twice = injected({ ...once, spec: { containers: [...containers, added] } });

    assert.equal(twice.metadata.annotations?.[annotations.sidecarPorts], "http=8080:19100,mesh=15000:19101");
    const sidecar = twice.spec?.containers.find(({ name }) => name === "sandbox-proxy");
    assert.equal(sidecar?.image, "mirror/sandbox-proxy:1.0.0");
    assert.deepEqual(
      sidecar?.ports?.map(({ name, containerPort }) => [name, containerPort]),
      [
        ["http", 19_100],
        ["mesh", 19_101],
      ],
    );
    assert.ok(sidecar?.args?.includes("--application-ports=http=8080:19100,mesh=15000:19101"));
    assert.deepEqual(injected(twice), twice);
  });

  const refused: readonly (readonly [title: string, pod: Pod, says: RegExp])[] = [
    ["a fork", podOf({}, { labels: { [labels.fork]: "pr-42-cart" } }), /forks/],
    ["a routing proxy", podOf({}, { labels: { [labels.proxy]: "true" } }), /is a routing proxy/],
    ["a pod in the network of its node", podOf({ hostNetwork: true }), /host network/],
    ["a pod of a Job", podOf({ restartPolicy: "Never" }), /restartPolicy is Never/],
    ["a pod for Windows", podOf({ os: { name: "windows" } }), /Windows/],
    ["a pod without named ports", podOf(app({ ports: [{ containerPort: 80 }] })), /no container port/],
    ["a pod with a container of the same name", podOf(app({ name: "sandbox-proxy" })), /has the name sandbox-proxy/],
  ];
  for (const [title, pod, says] of refused) {
    it(`is not made of ${title}`, () => {
      const result = injectSidecar(pod, options);
      assert.ok("refused" in result);
      assert.match(result.refused, says);
    });
  }
});

describe("renamedPort", () => {
  it("returns a valid name of at most 15 characters, and different ones for different ports", () => {
    const names = [
      "http",
      "elevenchars",
      "twelve-chars",
      "a-longer-name",
      "a-longer-port",
      "fifteen-chars-x",
      "seven---7890",
    ];
    const renamed = names.map(renamedPort);
    assert.deepEqual(renamed.slice(0, 2), ["sbx-http", "sbx-elevenchars"]);
    for (const name of renamed) assert.match(name, /^(?=.{1,15}$)[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.equal(new Set(renamed).size, names.length);
  });
});
