// Deletion of objects and collections.

import {
  type Case,
  configMap,
  del,
  deployment,
  get,
  inCase,
  patch,
  pod,
  post,
  put,
  type RequestStep,
  watch,
} from "../case.ts";

const maps = inCase("configmaps");
const pods = inCase("pods");
const a = `${maps}/a`;
const made = post(maps, configMap("a"));
const kept = post(maps, configMap("a", {}, { finalizers: ["example.com/keep"] }));
const options = (fields: object): object => ({ apiVersion: "v1", kind: "DeleteOptions", ...fields });

/** Returns the write that removes the finalizer of a terminating object. */
function released(form: "merge" | "json" | "strategic" | "put" | "dry run"): RequestStep {
  switch (form) {
    case "merge":
      return patch("merge", a, { metadata: { finalizers: null } });
    case "json":
      return patch("json", a, [{ op: "remove", path: "/metadata/finalizers" }]);
    case "strategic":
      return patch("strategic", a, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/keep"] } });
    case "put":
      return put(a, configMap("a", { k: "last" }));
    case "dry run":
      return patch("merge", `${a}?dryRun=All`, { metadata: { finalizers: [] } });
  }
}

export const deletionCases: readonly Case[] = [
  { name: "delete", steps: [made, del(a), get(a)] },
  { name: "delete an object that does not exist", steps: [del(a)] },
  { name: "delete twice", steps: [made, del(a), del(a)] },
  { name: "delete with an empty body", steps: [made, del(a, {})] },
  { name: "delete with a body of another kind", steps: [made, del(a, configMap("a"))] },
  { name: "delete with invalid JSON", steps: [made, del(a, "{")] },
  { name: "delete with unknown fields", steps: [made, del(a, options({ colour: "red" }))] },
  {
    name: "delete with another uid as precondition",
    steps: [made, del(a, options({ preconditions: { uid: "other" } }))],
  },
  {
    name: "delete with another resourceVersion as precondition",
    steps: [made, del(a, options({ preconditions: { resourceVersion: "1" } }))],
  },
  { name: "delete with an invalid propagation policy", steps: [made, del(`${a}?propagationPolicy=Other`)] },
  {
    name: "delete with both orphanDependents and a policy",
    steps: [made, del(a, options({ propagationPolicy: "Orphan", orphanDependents: true }))],
  },
  ...["Orphan", "Background", "Foreground"].map((policy) => ({
    name: `delete with policy ${policy}`,
    steps: [made, del(`${a}?propagationPolicy=${policy}`), get(a)],
  })),
  ...["Orphan", "Background", "Foreground"].map((policy) => ({
    name: `delete an object with a finalizer and policy ${policy}`,
    steps: [
      kept,
      del(`${a}?propagationPolicy=${policy}`),
      get(a),
      patch("merge", a, { metadata: { finalizers: null } }),
    ],
  })),
  { name: "delete an object with a finalizer", steps: [kept, del(a), del(a), get(a), post(maps, configMap("a"))] },
  {
    name: "a terminating object accepts no new finalizer",
    steps: [kept, del(a), patch("merge", a, { metadata: { finalizers: ["example.com/keep", "example.com/new"] } })],
  },
  {
    name: "removal of the last finalizer",
    steps: [kept, del(a), patch("merge", a, { metadata: { finalizers: [] } }), get(a)],
  },
  ...(["merge", "json", "strategic", "put", "dry run"] as const).map((form) => ({
    name: `removal of the last finalizer by ${form}, between other writes`,
    steps: [
      kept,
      post(maps, configMap("before")),
      del(a),
      post(maps, configMap("between")),
      released(form),
      post(maps, configMap("after")),
      get(maps),
      get(a),
      watch(`${maps}?watch=true&resourceVersion={rv}`, form === "dry run" ? 5 : 6),
    ],
  })),
  { name: "dry run of a deletion", steps: [made, del(`${a}?dryRun=All`), get(a)] },
  { name: "dry run in the body", steps: [made, del(a, options({ dryRun: ["All"] })), get(a)] },
  { name: "an invalid dryRun value", steps: [made, del(a, options({ dryRun: ["Some"] }))] },
  { name: "a grace period for a kind without one", steps: [made, del(`${a}?gracePeriodSeconds=10`)] },
  { name: "an invalid grace period", steps: [made, del(`${a}?gracePeriodSeconds=x`)] },
  { name: "delete a pod without a node", steps: [post(pods, pod("p")), del(`${pods}/p`), get(`${pods}/p`)] },
  {
    name: "delete a pod on a node",
    steps: [
      post(pods, pod("p", { nodeName: "n" })),
      del(`${pods}/p`),
      get(`${pods}/p`),
      del(`${pods}/p?gracePeriodSeconds=5`),
      del(`${pods}/p?gracePeriodSeconds=60`),
      del(`${pods}/p?gracePeriodSeconds=0`),
      get(`${pods}/p`),
    ],
  },
  {
    name: "delete a pod with its own grace period",
    steps: [post(pods, pod("p", { nodeName: "n", terminationGracePeriodSeconds: 3 })), del(`${pods}/p`)],
  },
  {
    name: "delete a pod with grace period 0",
    steps: [post(pods, pod("p", { nodeName: "n" })), del(`${pods}/p?gracePeriodSeconds=0`), get(`${pods}/p`)],
  },
  {
    name: "delete a pod with a negative grace period",
    steps: [post(pods, pod("p", { nodeName: "n" })), del(`${pods}/p?gracePeriodSeconds=-1`)],
  },
  {
    name: "delete a deployment",
    steps: [post(inCase("deployments", "apps/v1"), deployment("d")), del(`${inCase("deployments", "apps/v1")}/d`)],
  },
  {
    name: "delete a job without a policy",
    steps: [
      post(inCase("jobs", "batch/v1"), {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "j" },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } } },
      }),
      del(`${inCase("jobs", "batch/v1")}/j`),
      get(`${inCase("jobs", "batch/v1")}/j`),
    ],
  },
  { name: "delete many", steps: [made, post(maps, configMap("b")), del(maps), get(maps)] },
  {
    name: "delete a collection by label",
    steps: [
      post(maps, configMap("a", {}, { labels: { x: "1" } })),
      post(maps, configMap("b")),
      del(`${maps}?labelSelector=x%3D1`),
      get(maps),
    ],
  },
  {
    name: "delete a collection by field",
    steps: [made, post(maps, configMap("b")), del(`${maps}?fieldSelector=metadata.name%3Db`), get(maps)],
  },
  { name: "dry run of the deletion of a collection", steps: [made, del(`${maps}?dryRun=All`), get(maps)] },
  { name: "delete an empty collection", steps: [del(maps)] },
  { name: "delete the namespace default", steps: [del("/api/v1/namespaces/default")] },
];
