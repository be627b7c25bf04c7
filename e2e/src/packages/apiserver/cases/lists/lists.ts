// Lists: selectors, pagination, resource versions.

import { type Case, configMap, get, inCase, pod, post, type Step } from "../case.ts";

const maps = inCase("configmaps");
const pods = inCase("pods");

const some: readonly Step[] = ["a", "b", "c", "d", "e"].map((name, index) =>
  post(
    maps,
    configMap(
      name,
      {},
      { labels: { letter: name, half: index < 2 ? "first" : "second", ...(index === 4 ? { last: "" } : {}) } },
    ),
  ),
);

const labelSelectors: readonly string[] = [
  "letter=a",
  "letter==b",
  "letter!=a",
  "letter in (a,b)",
  "letter notin (a, b)",
  "last",
  "!last",
  "half=second,letter!=c",
  "letter=",
  "last=",
  "letter in ()",
  "letter in (a",
  "letter=a,,",
  "letter>1",
  "letter<x",
  "=a",
  "letter in a",
  "A b=c",
  "letter=a b",
  "a/b/c=d",
  "letter=" + "x".repeat(64),
];

const fieldSelectors: readonly string[] = [
  "metadata.name=a",
  "metadata.name==a",
  "metadata.name!=a",
  "metadata.namespace={ns}",
  "metadata.name=a,metadata.namespace=other",
  "metadata.name=absent",
  "metadata.uid=x",
  "data.k=v",
  "metadata.name",
  "metadata.name=a\\,b",
  "=",
];

const podFields: readonly string[] = [
  "status.phase=Pending",
  "status.phase!=Pending",
  "spec.nodeName=",
  "spec.nodeName=n1",
  "spec.restartPolicy=Never",
  "spec.schedulerName=default-scheduler",
  "spec.serviceAccountName=x",
  "status.podIP=",
  "status.nominatedNodeName=",
  "spec.hostNetwork=false",
  "spec.containers=x",
];

const options: readonly string[] = [
  "limit=2",
  "limit=0",
  "limit=-1",
  "limit=x",
  "limit=100",
  "limit=2&labelSelector=half%3Dsecond",
  "continue=x",
  "continue=e30",
  "resourceVersion=0",
  "resourceVersion=x",
  "resourceVersion=0&resourceVersionMatch=NotOlderThan",
  "resourceVersion=0&resourceVersionMatch=Exact",
  "resourceVersion=1&resourceVersionMatch=Other",
  "resourceVersionMatch=Exact",
  "resourceVersion=0&limit=2",
  "sendInitialEvents=true",
  "timeoutSeconds=x",
  "watch=maybe&timeoutSeconds=1",
  "allowWatchBookmarks=maybe",
];

export const listCases: readonly Case[] = [
  { name: "an empty list", steps: [get(maps)] },
  { name: "a list", steps: [...some, get(maps)] },
  { name: "a list in a namespace that does not exist", steps: [get("/api/v1/namespaces/absent-{ns}/pods")] },
  ...labelSelectors.map((selector) => ({
    name: `labels ${selector}`,
    steps: [...some, get(`${maps}?labelSelector=${encodeURIComponent(selector)}`)],
  })),
  ...fieldSelectors.map((selector) => ({
    name: `fields ${selector}`,
    steps: [
      ...some.slice(0, 2),
      get(`${maps}?fieldSelector=${encodeURIComponent(selector).replaceAll("%7Bns%7D", "{ns}")}`),
    ],
  })),
  ...podFields.map((selector) => ({
    name: `field selector ${selector} for pods`,
    steps: [
      post(pods, pod("a")),
      post(pods, pod("b", { nodeName: "n1", restartPolicy: "Never" })),
      get(`${pods}?fieldSelector=${encodeURIComponent(selector)}`),
    ],
  })),
  // After a list of the latest state, the watch cache of the server is up to date.
  ...options.map((query) => ({ name: `a list with ${query}`, steps: [...some, get(maps), get(`${maps}?${query}`)] })),
  {
    name: "field selectors of other kinds",
    steps: [
      get(`${inCase("secrets")}?fieldSelector=type%3DOpaque`),
      get(`${inCase("events")}?fieldSelector=involvedObject.name%3Dx%2Creason%3Dy`),
      get(`${inCase("jobs", "batch/v1")}?fieldSelector=status.successful%3D1`),
      get(`${inCase("replicasets", "apps/v1")}?fieldSelector=status.replicas%3D1`),
      get(`${inCase("deployments", "apps/v1")}?fieldSelector=status.replicas%3D1`),
      get("/api/v1/namespaces?fieldSelector=status.phase%3DNothing"),
      get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue"),
    ],
  },
];
