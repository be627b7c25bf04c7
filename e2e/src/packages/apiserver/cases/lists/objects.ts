// Creation, reading and replacement of objects.

import { type Case, configMap, get, inCase, patch, pod, post, put } from "../case.ts";

const maps = inCase("configmaps");
const secrets = inCase("secrets");
const leases = inCase("leases", "coordination.k8s.io/v1");

/** Returns a pod with the given number of environment variables of 1000 characters. */
const bigPod = (count: number): object =>
  pod("big", {
    containers: [
      {
        name: "main",
        image: "registry.example/app:1",
        env: Array.from({ length: count }, (_, index) => ({ name: `V${index}`, value: "x".repeat(1000) })),
      },
    ],
  });

export const objectCases: readonly Case[] = [
  { name: "create and read", steps: [post(maps, configMap("a", { k: "v" })), get(`${maps}/a`)] },
  { name: "create twice", steps: [post(maps, configMap("a")), post(maps, configMap("a"))] },
  {
    name: "create with generateName",
    steps: [post(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } })],
  },
  {
    name: "a namespace with a generated name has it as a label",
    steps: [
      post("/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { generateName: "made-up-", labels: { "kubernetes.io/metadata.name": "forged" } },
      }),
      post("/api/v1/namespaces?dryRun=All", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { generateName: "made-up-" },
      }),
    ],
  },
  {
    name: "objects that exceed the storage limit",
    steps: [
      post(inCase("pods"), bigPod(1_600)),
      post(inCase("pods"), bigPod(2_200)),
      post(inCase("pods"), bigPod(100)),
      patch("json", `${inCase("pods")}/big`, [
        { op: "add", path: "/metadata/annotations", value: { a: "x".repeat(200_000) } },
        { op: "add", path: "/metadata/labels", value: { a: "b" } },
      ]),
      patch("merge", `${inCase("pods")}/big/status`, {
        status: { phase: "Running", message: "x".repeat(1_500_000) },
      }),
      get(`${inCase("pods")}/big`, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }),
    ],
  },
  {
    name: "create with a long generateName",
    steps: [post(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "m".repeat(70) } })],
  },
  {
    name: "create with all fields that only the server sets",
    steps: [
      post(
        maps,
        configMap(
          "a",
          {},
          {
            uid: "x",
            generation: 7,
            selfLink: "/x",
            creationTimestamp: "2020-01-01T00:00:00Z",
            deletionTimestamp: "2020-01-01T00:00:00Z",
            deletionGracePeriodSeconds: 5,
            managedFields: [],
          },
        ),
      ),
    ],
  },
  {
    name: "create in a namespace that does not exist",
    steps: [post("/api/v1/namespaces/absent-{ns}/configmaps", configMap("a"))],
  },
  { name: "dry run of a creation", steps: [post(`${maps}?dryRun=All`, configMap("a")), get(`${maps}/a`)] },
  {
    name: "dry run of a creation with generateName",
    steps: [post(`${maps}?dryRun=All`, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } })],
  },
  {
    name: "create with a field manager",
    steps: [post(`${maps}?fieldManager=me`, configMap("a", { k: "v" }, { labels: { l: "1" } }))],
  },
  {
    name: "create with the field manager of a user agent",
    steps: [post(maps, configMap("a"), { headers: { "user-agent": "tool/v1.2 (x) y" } })],
  },
  {
    name: "replace",
    steps: [post(maps, configMap("a", { k: "v" })), put(`${maps}/a`, configMap("a", { k: "w" })), get(`${maps}/a`)],
  },
  {
    name: "replace with an equal object",
    steps: [post(maps, configMap("a", { k: "v" })), put(`${maps}/a`, configMap("a", { k: "v" }))],
  },
  { name: "replace an object that does not exist", steps: [put(`${maps}/a`, configMap("a"))] },
  {
    name: "replace with an outdated resourceVersion",
    steps: [post(maps, configMap("a")), put(`${maps}/a`, configMap("a", {}, { resourceVersion: "1" }))],
  },
  {
    name: "replace with an invalid resourceVersion",
    steps: [post(maps, configMap("a")), put(`${maps}/a`, configMap("a", {}, { resourceVersion: "x" }))],
  },
  {
    name: "replace with another uid",
    steps: [post(maps, configMap("a")), put(`${maps}/a`, configMap("a", {}, { uid: "other" }))],
  },
  {
    name: "replace with an invalid object",
    steps: [post(maps, configMap("a")), put(`${maps}/a`, { ...configMap("a"), data: { "a/b": "c" } })],
  },
  {
    name: "dry run of a replacement",
    steps: [post(maps, configMap("a")), put(`${maps}/a?dryRun=All`, configMap("a", { k: "v" })), get(`${maps}/a`)],
  },
  {
    name: "an immutable ConfigMap",
    steps: [
      post(maps, { ...configMap("a", { k: "v" }), immutable: true }),
      put(`${maps}/a`, { ...configMap("a", { k: "w" }), immutable: true }),
      put(`${maps}/a`, configMap("a", { k: "v" })),
      put(`${maps}/a`, { ...configMap("a", { k: "v" }, { labels: { x: "y" } }), immutable: true }),
    ],
  },
  {
    name: "stringData of a secret becomes data",
    steps: [
      post(secrets, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "a" },
        data: { a: "eA==" },
        stringData: { a: "y", b: "z" },
      }),
      put(`${secrets}/a`, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, type: "kubernetes.io/tls" }),
    ],
  },
  ...[
    "kubernetes.io/dockerconfigjson",
    "kubernetes.io/basic-auth",
    "kubernetes.io/ssh-auth",
    "kubernetes.io/tls",
    "kubernetes.io/service-account-token",
    "own/type",
  ].map((type) => ({
    name: `an empty secret of type ${type}`,
    steps: [post(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, type })],
  })),
  {
    name: "a lease created by PUT, which then needs a resourceVersion",
    steps: [
      put(`${leases}/a`, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "a" },
        spec: { holderIdentity: "x" },
      }),
      put(`${leases}/a`, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "a" },
        spec: { holderIdentity: "y" },
      }),
    ],
  },
  {
    name: "generation counts changes of the spec only",
    steps: [
      post(inCase("pods"), pod("a")),
      put(`${inCase("pods")}/a`, pod("a", {}, { labels: { l: "1" } })),
      get(`${inCase("pods")}/a`),
    ],
  },
  {
    name: "duplicate owner references",
    steps: [
      post(
        maps,
        configMap(
          "a",
          {},
          {
            ownerReferences: [1, 2].map(() => ({
              apiVersion: "v1",
              kind: "Pod",
              name: "p",
              uid: "00000000-0000-0000-0000-000000000001",
            })),
          },
        ),
      ),
    ],
  },
  {
    name: "large numbers are kept exactly",
    steps: [
      post(inCase("events"), {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "a" },
        involvedObject: { namespace: "{ns}" },
        count: 2147483647,
      }),
      post(inCase("events"), {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "b" },
        involvedObject: { namespace: "{ns}" },
        count: 2147483648,
      }),
    ],
  },
  {
    name: "an event of another namespace",
    steps: [
      post(inCase("events"), {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "a" },
        involvedObject: { namespace: "x" },
      }),
    ],
  },
  {
    name: "an event in two groups",
    steps: [
      post(inCase("events"), {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "a" },
        involvedObject: { namespace: "{ns}", name: "p" },
        reason: "R",
        message: "m",
        type: "Normal",
        source: { component: "c" },
      }),
      get(`${inCase("events", "events.k8s.io/v1")}/a`),
    ],
  },
  {
    name: "read with a resourceVersion",
    steps: [
      post(maps, configMap("a")),
      get(maps),
      get(`${maps}/a?resourceVersion=0`),
      get(`${maps}/a?resourceVersion=1`),
      get(`${maps}/a?resourceVersion=x`),
    ],
  },
];
