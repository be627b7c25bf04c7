// Watches.

import { type Case, configMap, del, get, inCase, patch, pod, post, watch } from "../case.ts";

const maps = inCase("configmaps");
const pods = inCase("pods");
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const metadata = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
const life = [post(maps, configMap("a")), patch("merge", `${maps}/a`, { data: { k: "v" } }), del(`${maps}/a`)];
const labelled = (name: string, x: string): object => configMap(name, {}, { labels: { x } });

const queries: readonly string[] = [
  "resourceVersion=x",
  "resourceVersion=99999999&timeoutSeconds=1",
  "resourceVersionMatch=NotOlderThan",
  "sendInitialEvents=true",
  "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
  "continue=x",
  "labelSelector=%3D",
  "fieldSelector=data.k%3Dv",
  "timeoutSeconds=x",
];

export const watchCases: readonly Case[] = [
  { name: "watch creation, change and deletion", steps: [watch(`${maps}?watch=1`, 3, { meanwhile: life })] },
  {
    name: "watch with the /watch prefix",
    steps: [post(maps, configMap("a")), watch("/api/v1/watch/namespaces/{ns}/configmaps", 1)],
  },
  {
    name: "watch one object with the /watch prefix",
    steps: [
      post(maps, configMap("a")),
      post(maps, configMap("b")),
      watch("/api/v1/watch/namespaces/{ns}/configmaps/b", 1),
    ],
  },
  {
    name: "watch existing objects",
    steps: [post(maps, configMap("a")), post(maps, configMap("b")), watch(`${maps}?watch=true&resourceVersion=0`, 2)],
  },
  {
    name: "watch one name",
    steps: [
      post(maps, configMap("a")),
      watch(`${maps}?watch=true&fieldSelector=metadata.name%3Db`, 1, {
        meanwhile: [post(maps, configMap("c")), post(maps, configMap("b"))],
      }),
    ],
  },
  {
    name: "objects that start and stop to match a selector",
    steps: [
      post(maps, labelled("a", "1")),
      watch(`${maps}?watch=true&labelSelector=x%3D1`, 4, {
        meanwhile: [
          post(maps, labelled("b", "2")),
          patch("merge", `${maps}/b`, { metadata: { labels: { x: "1" } } }),
          patch("merge", `${maps}/a`, { metadata: { labels: { x: "2" } } }),
          del(`${maps}/b`),
        ],
      }),
    ],
  },
  {
    name: "watch with a timeout",
    steps: [post(maps, configMap("a")), watch(`${maps}?watch=true&timeoutSeconds=1`, 0)],
  },
  {
    name: "watch with initial events",
    steps: [
      post(maps, configMap("a")),
      watch(`${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, 2),
    ],
  },
  {
    name: "watch with initial events and a label selector",
    steps: [
      post(maps, labelled("a", "1")),
      post(maps, labelled("b", "2")),
      watch(
        `${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=x%3D2`,
        2,
      ),
    ],
  },
  {
    name: "watch as a table",
    steps: [
      post(pods, pod("p")),
      watch(`${pods}?watch=true`, 2, { headers: table, meanwhile: [post(pods, pod("q"))] }),
    ],
  },
  { name: "watch metadata", steps: [post(pods, pod("p")), watch(`${pods}?watch=true`, 1, { headers: metadata })] },
  {
    name: "watch as a table with bookmarks",
    steps: [
      post(pods, pod("p")),
      watch(`${pods}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, 2, {
        headers: table,
      }),
    ],
  },
  {
    name: "watch a pod with a deletion grace period",
    steps: [
      post(pods, pod("p", { nodeName: "n" })),
      watch(`${pods}?watch=true`, 3, { meanwhile: [del(`${pods}/p`), del(`${pods}/p?gracePeriodSeconds=0`)] }),
    ],
  },
  {
    name: "watch pods with a field selector",
    steps: [
      post(pods, pod("p")),
      watch(`${pods}?watch=true&fieldSelector=spec.nodeName%3Dn`, 1, {
        meanwhile: [post(pods, pod("q", { nodeName: "n" }))],
      }),
    ],
  },
  ...queries.map((query) => ({
    name: `watch with ${query}`,
    steps: [post(maps, configMap("a")), get(`${maps}?watch=true&timeoutSeconds=1&${query}`)],
  })),
];
