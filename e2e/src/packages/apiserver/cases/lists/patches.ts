// JSON patches, merge patches and strategic merge patches.

import { type Case, configMap, deployment, get, inCase, patch, post } from "../case.ts";

const maps = inCase("configmaps");
const deployments = inCase("deployments", "apps/v1");
const start = post(maps, configMap("a", { k: "v", l: "w" }, { labels: { x: "y" } }));

const jsonPatches: readonly (readonly [string, unknown])[] = [
  ["add", [{ op: "add", path: "/data/new", value: "n" }]],
  ["add to a parent that does not exist", [{ op: "add", path: "/binaryData/new", value: "bg==" }]],
  ["replace", [{ op: "replace", path: "/data/k", value: "n" }]],
  ["replace a value that does not exist", [{ op: "replace", path: "/data/absent", value: "n" }]],
  ["remove", [{ op: "remove", path: "/data/k" }]],
  ["remove a value that does not exist", [{ op: "remove", path: "/data/absent" }]],
  [
    "test that holds",
    [
      { op: "test", path: "/data/k", value: "v" },
      { op: "remove", path: "/data/k" },
    ],
  ],
  ["test that fails", [{ op: "test", path: "/data/k", value: "x" }]],
  ["move", [{ op: "move", from: "/data/k", path: "/data/m" }]],
  ["copy", [{ op: "copy", from: "/data/k", path: "/data/m" }]],
  ["an invalid operation", [{ op: "nothing", path: "/data/k" }]],
  ["no path", [{ op: "add", value: "x" }]],
  ["an invalid path", [{ op: "add", path: "data", value: "x" }]],
  ["no list", { op: "add" }],
  ["no operations", []],
  ["an unknown field of the operation", [{ op: "add", path: "/data/k", value: "n", extra: 1 }]],
  ["a wrong type", [{ op: "add", path: "/data/k", value: 5 }]],
  ["an unknown field of the object", [{ op: "add", path: "/colour", value: "red" }]],
  ["another name", [{ op: "replace", path: "/metadata/name", value: "b" }]],
  ["another kind", [{ op: "replace", path: "/kind", value: "Secret" }]],
  ["an invalid object", [{ op: "add", path: "/data/a~1b", value: "c" }]],
  ["an outdated resourceVersion", [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }]],
];

const mergePatches: readonly (readonly [string, unknown])[] = [
  ["a change", { data: { k: "n" } }],
  ["a removal", { data: { k: null } }],
  ["removal of a value that does not exist", { data: { absent: null } }],
  ["nothing", {}],
  ["null", null],
  ["a list", []],
  ["invalid JSON", "{"],
  ["labels", { metadata: { labels: { x: null, z: "1" } } }],
  ["a wrong type", { data: { k: 1 } }],
  ["unknown fields", { colour: "red", data: { k: "n" } }],
  ["an outdated resourceVersion", { metadata: { resourceVersion: "1" }, data: { k: "n" } }],
  ["another uid", { metadata: { uid: "x" } }],
  ["an invalid object", { data: { "a/b": "c" } }],
  ["cleared managed fields", { metadata: { managedFields: [{}] } }],
];

const strategicPatches: readonly (readonly [string, unknown])[] = [
  [
    "a container by its name",
    { spec: { template: { spec: { containers: [{ name: "main", image: "registry.example/app:2" }] } } } },
  ],
  [
    "one more container",
    { spec: { template: { spec: { containers: [{ name: "side", image: "registry.example/side:1" }] } } } },
  ],
  [
    "a container away",
    {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "main", $patch: "delete" },
              { name: "b", image: "c" },
            ],
          },
        },
      },
    },
  ],
  [
    "all containers",
    { spec: { template: { spec: { containers: [{ $patch: "replace" }, { name: "b", image: "c" }] } } } },
  ],
  [
    "an order",
    {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
            containers: [{ name: "side", image: "s" }],
          },
        },
      },
    },
  ],
  ["a container without its key", { spec: { template: { spec: { containers: [{ image: "x" }] } } } }],
  ["variables", { spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "A", value: "1" }] }] } } } }],
  ["a strategy with $retainKeys", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }],
  ["a strategy that conflicts with existing fields", { spec: { strategy: { type: "Recreate" } } }],
  ["finalizers", { metadata: { finalizers: ["example.com/x"] } }],
  [
    "finalizers away",
    { metadata: { $deleteFromPrimitiveList: 1, "$deleteFromPrimitiveList/finalizers": ["example.com/x"] } },
  ],
  ["a wrong type", { spec: { replicas: "three" } }],
  ["unknown fields", { spec: { colour: "red" } }],
  ["an invalid directive", { spec: { $patch: "nothing" } }],
  ["an immutable field", { spec: { selector: { matchLabels: { app: "other" } } } }],
];

export const patchCases: readonly Case[] = [
  ...jsonPatches.map(([what, body]) => ({
    name: `JSON patch: ${what}`,
    steps: [start, patch("json", `${maps}/a`, body), get(`${maps}/a`)],
  })),
  ...mergePatches.map(([what, body]) => ({
    name: `merge patch: ${what}`,
    steps: [start, patch("merge", `${maps}/a`, body === null ? "null" : body), get(`${maps}/a`)],
  })),
  ...strategicPatches.map(([what, body]) => ({
    name: `strategic patch: ${what}`,
    steps: [post(deployments, deployment("a")), patch("strategic", `${deployments}/a`, body), get(`${deployments}/a`)],
  })),
  ...(["json", "merge", "strategic"] as const).map((type) => ({
    name: `dry run of a ${type} patch`,
    steps: [
      start,
      patch(type, `${maps}/a?dryRun=All`, type === "json" ? [{ op: "remove", path: "/data/k" }] : { data: { k: "n" } }),
      get(`${maps}/a`),
    ],
  })),
  ...["Ignore", "Warn", "Strict"].flatMap((validation) =>
    (["json", "merge", "strategic"] as const).map((type) => ({
      name: `unknown fields in a ${type} patch with fieldValidation=${validation}`,
      steps: [
        start,
        patch(
          type,
          `${maps}/a?fieldValidation=${validation}`,
          type === "json" ? [{ op: "add", path: "/colour", value: 1 }] : { colour: 1 },
        ),
      ],
    })),
  ),
  {
    name: "a patch with a field manager",
    steps: [start, patch("merge", `${maps}/a?fieldManager=other`, { data: { k: "n" } })],
  },
  {
    name: "more than 10,000 operations",
    steps: [
      start,
      patch(
        "json",
        `${maps}/a`,
        Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/k", value: "v" })),
      ),
    ],
  },
];
