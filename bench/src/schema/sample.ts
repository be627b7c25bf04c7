// A typical resource: scalars with limits, lists with keys, maps, a status with conditions. Its objects
// have about 2 KB of JSON.

const name = { type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };
const quantity = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
};
const texts = { type: "object", maxProperties: 50, additionalProperties: { type: "string", maxLength: 200 } };
const resources = { type: "object", maxProperties: 20, additionalProperties: quantity };

const container = {
  type: "object",
  required: ["name", "image"],
  properties: {
    name,
    image: { type: "string", minLength: 1, maxLength: 300 },
    args: { type: "array", maxItems: 50, items: { type: "string", maxLength: 300 } },
    pullPolicy: { type: "string", enum: ["Always", "IfNotPresent", "Never"], default: "IfNotPresent" },
    env: {
      type: "array",
      maxItems: 50,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", maxLength: 100 },
          value: { type: "string", maxLength: 500, default: "" },
        },
      },
    },
    ports: {
      type: "array",
      maxItems: 20,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        required: ["port"],
        properties: {
          port: { type: "integer", format: "int32", minimum: 1, maximum: 65535 },
          protocol: { type: "string", enum: ["TCP", "UDP"], default: "TCP" },
          name,
        },
      },
    },
    resources: { type: "object", properties: { limits: resources, requests: resources } },
  },
};

const condition = {
  type: "object",
  required: ["type", "status"],
  properties: {
    type: { type: "string", maxLength: 316 },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: { type: "string", maxLength: 1024 },
    message: { type: "string", maxLength: 4096 },
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
  },
};

const rules = [
  { rule: "self.replicas <= self.replicasMax", message: "replicas must not be more than replicasMax" },
  { rule: "self.containers.exists(c, c.name == self.main)", message: "main must name a container" },
];

/** Returns the schema of the sample, optionally with validation rules. */
export function sampleSchema({ withRules }: { withRules: boolean }): object {
  return {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["containers", "main"],
        ...(withRules && { "x-kubernetes-validations": rules }),
        properties: {
          replicas: { type: "integer", format: "int32", minimum: 0, default: 1 },
          replicasMax: { type: "integer", format: "int32", minimum: 1, default: 10 },
          main: name,
          strategy: {
            type: "object",
            default: {},
            properties: {
              type: { type: "string", enum: ["RollingUpdate", "Recreate"], default: "RollingUpdate" },
              maxSurge: { "x-kubernetes-int-or-string": true, default: "25%" },
              maxUnavailable: { "x-kubernetes-int-or-string": true, default: "25%" },
            },
          },
          selector: texts,
          template: texts,
          schedule: { type: "string", format: "date-time" },
          timeout: { type: "string", format: "duration", default: "30s" },
          containers: {
            type: "array",
            minItems: 1,
            maxItems: 10,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: container,
          },
        },
      },
      status: {
        type: "object",
        properties: {
          ready: { type: "integer" },
          conditions: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            items: condition,
          },
        },
      },
    },
  };
}

function sampleContainer(index: number): object {
  return {
    name: `worker-${index}`,
    image: `registry.example.com/team/worker-${index}:v1.2.3`,
    args: ["--verbose", `--shard=${index}`],
    env: [
      { name: "LOG_LEVEL", value: "info" },
      { name: "SHARD", value: String(index) },
      { name: "REGION", value: "eu-central-1" },
    ],
    ports: [{ port: 8080 + index, name: "http" }, { port: 9090 + index }],
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
  };
}

/** Returns a new sample object, as JSON.parse would create it. */
export function sampleObject(): object {
  const object = {
    apiVersion: "bench.example.com/v1",
    kind: "Sample",
    metadata: {
      name: "sample",
      namespace: "default",
      labels: { "app.kubernetes.io/name": "sample", "app.kubernetes.io/part-of": "bench" },
      annotations: { "bench.example.com/note": "about two kilobytes of JSON" },
    },
    spec: {
      replicas: 3,
      main: "worker-1",
      selector: { app: "sample", tier: "backend" },
      template: { app: "sample", tier: "backend", "pod-template-hash": "abcdef" },
      schedule: "2024-02-29T12:00:00Z",
      containers: [sampleContainer(1), sampleContainer(2), sampleContainer(3)],
    },
    status: {
      ready: 3,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "AllReplicasReady",
          message: "3 of 3 replicas are ready",
          lastTransitionTime: "2024-02-29T12:00:05Z",
          observedGeneration: 7,
        },
        {
          type: "Progressing",
          status: "False",
          reason: "Settled",
          message: "",
          lastTransitionTime: "2024-02-29T12:00:06Z",
          observedGeneration: 7,
        },
      ],
    },
  };
  return JSON.parse(JSON.stringify(object)) as object;
}
