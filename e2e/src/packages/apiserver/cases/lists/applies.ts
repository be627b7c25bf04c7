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
    name: "applying the same configuration again",
    steps: [apply(a, "one", configMap("a", { k: "v" })), apply(a, "one", configMap("a", { k: "v" }))],
  },
  {
    name: "apply removes fields that are left out",
    steps: [apply(a, "one", configMap("a", { k: "v", l: "w" })), apply(a, "one", configMap("a", { k: "v" }))],
  },
  {
    name: "two managers own different fields",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      apply(a, "two", configMap("a", { l: "w" })),
      apply(a, "one", configMap("a")),
    ],
  },
  {
    name: "two managers apply the same value",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      apply(a, "two", configMap("a", { k: "v" })),
      apply(a, "one", configMap("a")),
    ],
  },
  {
    name: "two managers apply different values",
    steps: [apply(a, "one", configMap("a", { k: "v", l: "w" })), apply(a, "two", configMap("a", { k: "x", l: "y" }))],
  },
  {
    name: "force takes over a field",
    steps: [apply(a, "one", configMap("a", { k: "v" })), apply(a, "two", configMap("a", { k: "x" }), { force: true })],
  },
  {
    name: "an update takes over a field",
    steps: [
      apply(a, "one", configMap("a", { k: "v" })),
      put(`${a}?fieldManager=up`, configMap("a", { k: "x" })),
      apply(a, "one", configMap("a", { k: "v" })),
    ],
  },
  {
    name: "apply to an object created by POST",
    steps: [
      post(`${maps}?fieldManager=up`, configMap("a", { k: "v" })),
      apply(a, "one", configMap("a", { k: "x" })),
      apply(a, "one", configMap("a", { l: "x" })),
    ],
  },
  { name: "apply with a name that differs from the path", steps: [apply(a, "one", configMap("b"))] },
  { name: "apply without a name", steps: [apply(a, "one", { apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } })] },
  { name: "apply without a kind", steps: [apply(a, "one", { data: { k: "v" } })] },
  {
    name: "apply of another kind",
    steps: [apply(a, "one", { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } })],
  },
  { name: "apply of invalid YAML", steps: [apply(a, "one", "a: b: c")] },
  { name: "apply of a list", steps: [apply(a, "one", "- a")] },
  {
    name: "apply of YAML",
    steps: [apply(a, "one", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n")],
  },
  { name: "apply with managed fields", steps: [apply(a, "one", configMap("a", {}, { managedFields: [] }))] },
  { name: "apply with a wrong uid", steps: [apply(a, "one", configMap("a", {}, { uid: "x" }))] },
  {
    name: "apply with an outdated resourceVersion",
    steps: [apply(a, "one", configMap("a")), apply(a, "one", configMap("a", { k: "v" }, { resourceVersion: "1" }))],
  },
  { name: "apply with unknown fields", steps: [apply(a, "one", { ...configMap("a"), colour: "red" })] },
  {
    name: "apply with unknown fields and strict validation",
    steps: [apply(`${a}?fieldValidation=Strict`, "one", { ...configMap("a"), colour: "red" })],
  },
  { name: "apply with a wrong type", steps: [apply(a, "one", { ...configMap("a"), data: { k: 1 } })] },
  { name: "apply of an invalid object", steps: [apply(a, "one", { ...configMap("a"), data: { "a/b": "c" } })] },
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
    name: "items of a list merge by key",
    steps: [
      apply(`${services}/s`, "one", ports({ name: "x", port: 80 }, { name: "y", port: 81 })),
      apply(`${services}/s`, "two", ports({ name: "z", port: 82 })),
      apply(`${services}/s`, "one", ports({ name: "y", port: 81 })),
      apply(`${services}/s`, "two", ports({ name: "other", port: 81 })),
    ],
  },
  {
    name: "a duplicate key in a list",
    steps: [apply(`${services}/s`, "one", ports({ name: "x", port: 80 }, { name: "y", port: 80 }))],
  },
  {
    name: "finalizers merge as a set",
    steps: [
      apply(a, "one", configMap("a", {}, { finalizers: ["example.com/a"] })),
      apply(a, "two", configMap("a", {}, { finalizers: ["example.com/b"] })),
      apply(a, "one", configMap("a")),
      patch("merge", a, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "the status has its own managers",
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
    name: "migration from client-side apply of kubectl",
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
