// Server-side apply.

import { apply, type Case, configMap, deployment, get, inCase, patch, post, put } from "../case.ts";

const maps = inCase("configmaps");
const deployments = inCase("deployments", "apps/v1");
const services = inCase("services");
const a = `${maps}/a`;

const ports = (...list: object[]): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { clusterIP: "None", ports: list },
});

export const applyCases: readonly Case[] = [
  { name: "apply creates", steps: [apply(a, "one", configMap("a", { k: "v" })), get(a)] },
  {
    name: "apply the same again",
    steps: [apply(a, "one", configMap("a", { k: "v" })), apply(a, "one", configMap("a", { k: "v" }))],
  },
  {
    name: "apply takes away what is left out",
    steps: [apply(a, "one", configMap("a", { k: "v", l: "w" })), apply(a, "one", configMap("a", { k: "v" }))],
  },
  {
    name: "two managers share",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      apply(a, "two", configMap("a", { l: "w" })),
      apply(a, "one", configMap("a")),
    ],
  },
  {
    name: "two managers want the same",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      apply(a, "two", configMap("a", { k: "v" })),
      apply(a, "one", configMap("a")),
    ],
  },
  {
    name: "two managers want different things",
    steps: [apply(a, "one", configMap("a", { k: "v", l: "w" })), apply(a, "two", configMap("a", { k: "x", l: "y" }))],
  },
  {
    name: "force takes it",
    steps: [apply(a, "one", configMap("a", { k: "v" })), apply(a, "two", configMap("a", { k: "x" }), { force: true })],
  },
  {
    name: "an update takes it",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      put(`${a}?fieldManager=up`, configMap("a", { k: "x" })),
      apply(a, "one", configMap("a", { k: "v" })),
    ],
  },
  {
    name: "apply to what was created",
    steps: [
      post(`${maps}?fieldManager=up`, configMap("a", { k: "v" })),
      apply(a, "one", configMap("a", { k: "x" })),
      apply(a, "one", configMap("a", { l: "x" })),
    ],
  },
  { name: "apply with another name", steps: [apply(a, "one", configMap("b"))] },
  { name: "apply without a name", steps: [apply(a, "one", { apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } })] },
  { name: "apply without a kind", steps: [apply(a, "one", { data: { k: "v" } })] },
  {
    name: "apply of another kind",
    steps: [apply(a, "one", { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } })],
  },
  { name: "apply of no YAML", steps: [apply(a, "one", "a: b: c")] },
  { name: "apply of a list", steps: [apply(a, "one", "- a")] },
  {
    name: "apply of YAML",
    steps: [apply(a, "one", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n")],
  },
  { name: "apply with managed fields", steps: [apply(a, "one", configMap("a", {}, { managedFields: [] }))] },
  { name: "apply with a uid that is not there", steps: [apply(a, "one", configMap("a", {}, { uid: "x" }))] },
  {
    name: "apply with a version that is past",
    steps: [apply(a, "one", configMap("a")), apply(a, "one", configMap("a", { k: "v" }, { resourceVersion: "1" }))],
  },
  { name: "apply with unknown fields", steps: [apply(a, "one", { ...configMap("a"), colour: "red" })] },
  {
    name: "apply with unknown fields, strictly",
    steps: [apply(`${a}?fieldValidation=Strict`, "one", { ...configMap("a"), colour: "red" })],
  },
  { name: "apply with a wrong type", steps: [apply(a, "one", { ...configMap("a"), data: { k: 1 } })] },
  { name: "apply of what is invalid", steps: [apply(a, "one", { ...configMap("a"), data: { "a/b": "c" } })] },
  { name: "dry run of an apply", steps: [apply(`${a}?dryRun=All`, "one", configMap("a")), get(a)] },
  {
    name: "apply of a deployment",
    steps: [
      apply(`${deployments}/d`, "one", deployment("d")),
      apply(`${deployments}/d`, "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { replicas: 3 },
      }),
    ],
  },
  {
    name: "items of a list by their keys",
    steps: [
      apply(`${services}/s`, "one", ports({ name: "x", port: 80 }, { name: "y", port: 81 })),
      apply(`${services}/s`, "two", ports({ name: "z", port: 82 })),
      apply(`${services}/s`, "one", ports({ name: "y", port: 81 })),
      apply(`${services}/s`, "two", ports({ name: "other", port: 81 })),
    ],
  },
  {
    name: "the same key twice",
    steps: [apply(`${services}/s`, "one", ports({ name: "x", port: 80 }, { name: "y", port: 80 }))],
  },
  {
    name: "finalizers are a set",
    steps: [
      apply(a, "one", configMap("a", {}, { finalizers: ["example.com/a"] })),
      apply(a, "two", configMap("a", {}, { finalizers: ["example.com/b"] })),
      apply(a, "one", configMap("a")),
      patch("merge", a, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "the status has managers of its own",
    steps: [
      apply(`${deployments}/d`, "one", deployment("d")),
      apply(`${deployments}/d/status`, "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        status: { replicas: 1 },
      }),
      get(`${deployments}/d`),
    ],
  },
  {
    name: "kubectl moves over from its annotation",
    steps: [
      post(
        `${maps}?fieldManager=kubectl-client-side-apply`,
        configMap(
          "a",
          { k: "v" },
          {
            annotations: {
              "kubectl.kubernetes.io/last-applied-configuration":
                '{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a"}}\n',
            },
          },
        ),
      ),
      apply(a, "kubectl", configMap("a", { k: "x" })),
    ],
  },
];
