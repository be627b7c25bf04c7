/** API group of the benchmark's custom resource. */
export const group = "bench.homeostat.dev";

/** Namespaces of the cached objects, without objects, and of new objects. */
export const namespaces = { cached: "bench-cached", empty: "bench-empty", fresh: "bench-fresh" } as const;

const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const named = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };

/** The CRD: a structural schema with a status subresource. */
export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["sequence", "replicas"],
                properties: {
                  sequence: { type: "integer", format: "int64" },
                  replicas: { type: "integer", format: "int32" },
                  description: text,
                  selector: texts,
                  containers: {
                    type: "array",
                    ...named,
                    items: {
                      type: "object",
                      required: ["name", "image"],
                      properties: {
                        name: text,
                        image: text,
                        command: { type: "array", items: text },
                        env: {
                          type: "array",
                          ...named,
                          items: { type: "object", required: ["name"], properties: { name: text, value: text } },
                        },
                        resources: { type: "object", properties: { requests: texts, limits: texts } },
                      },
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  phase: text,
                  observedGeneration: { type: "integer", format: "int64" },
                  children: { type: "integer", format: "int32" },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Returns the name of the n-th Widget. */
export function widgetName(n: number): string {
  return `widget-${String(n).padStart(6, "0")}`;
}

/** Returns the n-th Widget: a spec of 2.0 KB, half of which differs between objects, as in practice. */
export function newWidget(n: number, namespace: string): object {
  const name = widgetName(n);
  return {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    metadata: { name, namespace, labels: { "app.kubernetes.io/name": name, shard: String(n % 7) } },
    spec: {
      sequence: 0,
      replicas: 1 + (n % 5),
      description: `Widget ${n} of the benchmark. ${words(n, 30)}`,
      selector: { "app.kubernetes.io/name": name, "app.kubernetes.io/component": `component-${n % 23}` },
      containers: ["web", "worker", "metrics"].map((part, i) => ({
        name: part,
        image: `registry.example/team-${n % 17}/${part}:1.${n % 40}.${i}`,
        command: [`/usr/local/bin/${part}`, "--listen=:8080", `--config=/etc/${part}/${name}.yaml`],
        env: Array.from({ length: 4 }, (_, j) => ({
          name: `SETTING_${j}`,
          value: words(n * 31 + i * 7 + j, 6),
        })),
        resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: `${256 + (n % 8) * 64}Mi` } },
      })),
    },
  };
}

const vocabulary =
  "amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean prism".split(" ");

/** Returns `count` words derived from a seed. */
function words(seed: number, count: number): string {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return vocabulary[state >>> 28] ?? "";
  }).join(" ");
}
