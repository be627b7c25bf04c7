import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configOf, container, podOf } from "../testing/machine-bench.ts";
import { environmentOf, environmentProblem, expand, volumeProblems } from "./pod-config.ts";
import { mountedFiles } from "./mounted-files.ts";

describe("configuration of pods", () => {
  const config = configOf({ "default/settings": { a: "1", "x.conf": "text" } }, { "default/keys": { password: "pw" } });

  it("reports missing volume sources as the kubelet does", () => {
    const pod = podOf({
      volumes: [
        { name: "v1", configMap: { name: "none" } },
        { name: "v2", configMap: { name: "none", optional: true } },
        { name: "v3", configMap: { name: "settings", items: [{ key: "no", path: "x" }] } },
        { name: "v4", secret: { secretName: "keys", items: [{ key: "no", path: "x" }] } },
        {
          name: "v5",
          projected: {
            sources: [{ configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } }],
          },
        },
        { name: "v6", emptyDir: {} },
      ],
    });

    assert.deepEqual(volumeProblems(pod, config), [
      { volume: "v1", problem: 'configmap "none" not found' },
      { volume: "v3", problem: "configmap references non-existent config key: no" },
      { volume: "v4", problem: "references non-existent secret key: no" },
    ]);
  });

  const environments: readonly [title: string, more: Parameters<typeof container>[1], problem: string | undefined][] = [
    ["a ConfigMap", { envFrom: [{ configMapRef: { name: "no" } }] }, 'configmap "no" not found'],
    ["a Secret", { envFrom: [{ secretRef: { name: "no" } }] }, 'secret "no" not found'],
    ["an optional one", { envFrom: [{ secretRef: { name: "no", optional: true } }] }, undefined],
    [
      "a key",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "keys", key: "no" } } }] },
      "couldn't find key no in Secret default/keys",
    ],
    ["nothing", { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }] }, undefined],
  ];
  for (const [title, more, problem] of environments) {
    it(`reports when an environment lacks ${title}`, () => {
      assert.equal(environmentProblem(podOf({}), container("main", more), config), problem);
    });
  }

  it("builds the environment from variables, references and the downward API", () => {
    const env = environmentOf(
      podOf({}, { labels: { team: "red" } }),
      container("main", {
        envFrom: [{ prefix: "P_", configMapRef: { name: "settings" } }],
        env: [
          { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "keys", key: "password" } } },
          { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          { name: "TEAM", valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
          { name: "ALL", value: "$(PASSWORD)-$(NAME)-$(UNKNOWN)-$$(NAME)" },
        ],
      }),
      { config, ip: "10.0.0.2", hostIP: "10.1.0.1" },
    );

    assert.deepEqual(
      [...env],
      [
        ["P_a", "1"],
        ["P_x.conf", "text"],
        ["PASSWORD", "pw"],
        ["NAME", "web"],
        ["IP", "10.0.0.2"],
        ["TEAM", "red"],
        ["ALL", "pw-web-$(UNKNOWN)-$(NAME)"],
      ],
    );
    assert.equal(expand("$(A) $$ $(", new Map([["A", "1"]])), "1 $ $(");
  });

  it("mounts files of ConfigMaps and Secrets", () => {
    const pod = podOf({
      volumes: [
        { name: "v", configMap: { name: "settings" } },
        { name: "s", secret: { secretName: "keys", items: [{ key: "password", path: "p" }] } },
      ],
    });
    const spec = container("main", {
      volumeMounts: [
        { name: "v", mountPath: "/etc/app" },
        { name: "s", mountPath: "/run/secret", subPath: "p" },
      ],
    });

    assert.deepEqual(
      [...mountedFiles(pod, spec, config)],
      [
        ["/etc/app/a", "1"],
        ["/etc/app/x.conf", "text"],
        ["/run/secret", "pw"],
      ],
    );
  });
});
