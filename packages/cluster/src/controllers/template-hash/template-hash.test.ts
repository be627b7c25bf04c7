import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { printGo } from "./go-printing.ts";
import { revisionHash, templateHash } from "./template-hash.ts";

// All hashes here were computed by the code of Kubernetes 1.36.3 itself.

const plain: PodTemplateSpec = {
  metadata: {
    labels: {
      app: "web",
    },
  },
  spec: {
    containers: [
      {
        name: "web",
        image: "example.com/web:1",
        resources: {
          requests: {
            cpu: "100m",
            memory: "1536Mi",
          },
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    automountServiceAccountToken: false,
    securityContext: {},
    schedulerName: "default-scheduler",
  },
};

const rich: PodTemplateSpec = {
  metadata: {
    labels: {
      app: "web",
    },
    annotations: {
      "a/b": "c",
      z: "é ü",
      B: "",
    },
  },
  spec: {
    containers: [
      {
        name: "web",
        image: "example.com/web:1",
        resources: {
          requests: {
            cpu: "100m",
            memory: "1536Mi",
          },
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        ports: [
          {
            containerPort: 80,
            protocol: "TCP",
            name: "http",
          },
        ],
        livenessProbe: {
          httpGet: {
            path: "/",
            port: "http",
            scheme: "HTTP",
          },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: {
          tcpSocket: {
            port: 80,
          },
        },
        lifecycle: {
          preStop: {
            sleep: {
              seconds: 3,
            },
          },
        },
        volumeMounts: [
          {
            name: "a",
            mountPath: "/a",
            readOnly: true,
          },
        ],
        securityContext: {
          runAsNonRoot: true,
          capabilities: {
            drop: ["ALL"],
          },
          seccompProfile: {
            type: "RuntimeDefault",
          },
          allowPrivilegeEscalation: false,
        },
        envFrom: [
          {
            configMapRef: {
              name: "z",
            },
            prefix: "P_",
          },
        ],
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    automountServiceAccountToken: false,
    securityContext: {
      fsGroup: 1000,
      supplementalGroups: [1, 2],
    },
    schedulerName: "default-scheduler",
    volumes: [
      {
        name: "a",
        emptyDir: {},
      },
      {
        name: "b",
        configMap: {
          name: "c",
          defaultMode: 420,
          items: [
            {
              key: "k",
              path: "p",
            },
          ],
        },
      },
      {
        name: "p",
        persistentVolumeClaim: {
          claimName: "x",
        },
      },
      {
        name: "e",
        emptyDir: {
          medium: "Memory",
          sizeLimit: "64Mi",
        },
      },
      {
        name: "pr",
        projected: {
          sources: [
            {
              serviceAccountToken: {
                path: "t",
                expirationSeconds: 3600,
              },
            },
            {
              downwardAPI: {
                items: [
                  {
                    path: "l",
                    fieldRef: {
                      apiVersion: "v1",
                      fieldPath: "metadata.labels",
                    },
                  },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    initContainers: [
      {
        name: "i",
        image: "x",
        restartPolicy: "Always",
        resources: {},
        env: [
          {
            name: "A",
            value: "b",
          },
          {
            name: "B",
            valueFrom: {
              secretKeyRef: {
                name: "s",
                key: "k",
                optional: true,
              },
            },
          },
        ],
      },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                {
                  key: "a",
                  operator: "In",
                  values: ["b", "c"],
                },
              ],
            },
          ],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              labelSelector: {
                matchLabels: {
                  app: "web",
                },
              },
              topologyKey: "kubernetes.io/hostname",
            },
          },
        ],
      },
    },
    tolerations: [
      {
        key: "a",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
    ],
    nodeSelector: {
      x: "y",
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "z",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: {
          matchExpressions: [
            {
              key: "k",
              operator: "Exists",
            },
          ],
        },
      },
    ],
    serviceAccountName: "sa",
    serviceAccount: "sa",
    imagePullSecrets: [
      {
        name: "r",
      },
    ],
    hostAliases: [
      {
        ip: "1.2.3.4",
        hostnames: ["a", "b"],
      },
    ],
    priorityClassName: "p",
    shareProcessNamespace: true,
    dnsConfig: {
      options: [
        {
          name: "ndots",
          value: "2",
        },
      ],
    },
  },
};

/** Quantities as a server stores them, and the hash of the plain template with such a limit. */
const limits: readonly (readonly [quantity: string, hash: string])[] = [
  ["100m", "5799c9855b"],
  ["1", "769974f44"],
  ["2", "6bfb955fc6"],
  ["8", "56f4846664"],
  ["16Mi", "86c89d87b8"],
  ["1536Mi", "7747596b48"],
  ["1Gi", "75b7888c9b"],
  ["100Ti", "6b4969b78d"],
  ["1Pi", "595bc5678d"],
  ["0", "6c9d95d4f6"],
  ["1k", "d6bfdc654"],
  ["1500m", "567f59766d"],
  ["250m", "7486494c4d"],
  ["12345678901234567890", "d46cf4db6"],
  ["10G", "5585bfbdc4"],
  ["3Ei", "85fcf77984"],
  ["1500", "5984dc476"],
  ["100n", "74c5ff7df6"],
  ["8Gi", "77646dc5c8"],
  ["9Gi", "d6bf47ff6"],
];

describe("templateHash", () => {
  it("equals the hash of Kubernetes", () => {
    assert.equal(templateHash(plain), "79c7c4cfcf");
    assert.equal(templateHash(rich), "fdf75c94f");
  });

  for (const [quantity, hash] of limits) {
    it(`equals the hash of Kubernetes with a limit of ${quantity}`, () => {
      const [container] = plain.spec?.containers ?? [];
      const resources = { limits: { cpu: quantity, "example.com/x": quantity } };
      const containers = container === undefined ? [] : [{ ...container, resources }];

      const found = templateHash({ ...plain, spec: { ...plain.spec, containers } });

      assert.equal(found, hash);
    });
  }

  it("depends on the collision count", () => {
    const hashes = [templateHash(plain), templateHash(plain, 0), templateHash(plain, 1)];

    assert.equal(new Set(hashes).size, 3);
  });

  it("uses only the characters of the safe alphabet", () => {
    for (let count = 0; count < 200; count += 1) {
      assert.match(templateHash(plain, count), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      assert.match(revisionHash("{}", count), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    }
  });

  it("is not affected by label names such as __proto__", () => {
    const labels = JSON.parse('{"__proto__":"a","constructor":"b"}');

    const text = printGo("v1.PodTemplateSpec", { metadata: { labels } });

    assert.match(text, /Labels:\(map\[string\]string\)map\[__proto__:a constructor:b\]/);
  });
});
