// Life cycles of CRDs: accepted, served, changed and deleted.

import type { JsonRecord } from "@homeostat/core";
import { apply, del, get, patch, post, type Step, until, watch } from "../cases/case.ts";
import { definition, version } from "./definitions.ts";

/** Steps with pauses for the controllers of a server. */
export interface LifecycleCase {
  readonly name: string;
  readonly steps: readonly (Step | "settle")[];
}

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "life.homeostat.test";

/** Returns a CRD in its own group. */
function life(plural: string, kind: string, over: JsonRecord = {}, names: JsonRecord = {}): JsonRecord {
  return definition({ group, names: { plural, kind, ...names }, ...over }, { name: `${plural}.${group}` });
}

function object(kind: string, name: string, over: JsonRecord = {}, apiVersion = `${group}/v1`): JsonRecord {
  return { apiVersion, kind, metadata: { name }, ...over };
}

const served = (plural: string): Step => until(`/apis/${group}/v1/${plural}`);
const gone = (plural: string): Step => until(`/apis/${group}/v1/${plural}`, 404);
const name = (plural: string): string => `${path}/${plural}.${group}`;
const at = (plural: string, v = "v1"): string => `/apis/${group}/${v}/namespaces/{ns}/${plural}`;

function specSchema(properties: JsonRecord): JsonRecord {
  return { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
}

export const lifecycleCases: readonly LifecycleCase[] = [
  {
    name: "a CRD is accepted and served",
    steps: [post(path, life("firsts", "First")), served("firsts"), until(name("firsts")), get(name("firsts"))],
  },
  {
    name: "names belong to the first CRD that uses them",
    steps: [
      post(path, life("seconds", "Second", {}, { shortNames: ["two", "snd"], singular: "second" })),
      served("seconds"),
      post(path, life("thirds", "Second", {}, { shortNames: ["two"], singular: "third", listKind: "ThirdList" })),
      "settle",
      get(name("thirds")),
      get(at("thirds")),
      post(
        path,
        life(
          "fourths",
          "Fourth",
          {},
          { shortNames: ["two", "snd", "four"], singular: "second", listKind: "SecondList" },
        ),
      ),
      "settle",
      get(name("fourths")),
      patch("merge", name("fourths"), {
        spec: { names: { singular: "fourth", shortNames: ["four"], listKind: "FourthList" } },
      }),
      served("fourths"),
      get(name("fourths")),
      patch("merge", name("fourths"), { spec: { names: { shortNames: ["snd", "fo"] } } }),
      "settle",
      get(name("fourths")),
      // A waiting CRD gets a name when it becomes free.
      del(name("seconds")),
      served("thirds"),
      "settle",
      get(name("thirds")),
      get(name("fourths")),
    ],
  },
  {
    name: "a community group needs an approval annotation",
    steps: [
      post(
        path,
        definition(
          { group: "life.k8s.io", names: { plural: "approveds", kind: "Approved" } },
          { name: "approveds.life.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
        ),
      ),
      until("/apis/life.k8s.io/v1/approveds"),
      "settle",
      get(`${path}/approveds.life.k8s.io`),
      patch("merge", `${path}/approveds.life.k8s.io`, {
        metadata: { annotations: { "api-approved.kubernetes.io": "https://github.com/a/b" } },
      }),
      "settle",
      get(`${path}/approveds.life.k8s.io`),
    ],
  },
  {
    name: "custom resources are deleted before their CRD",
    steps: [
      post(path, life("fifths", "Fifth")),
      served("fifths"),
      post(at("fifths"), object("Fifth", "a")),
      post(at("fifths"), object("Fifth", "b", { metadata: { name: "b", finalizers: ["x.test/y"] } })),
      del(name("fifths")),
      "settle",
      get(name("fifths")),
      get(at("fifths")),
      post(at("fifths"), object("Fifth", "c")),
      apply(`${at("fifths")}/d`, "m", object("Fifth", "d")),
      patch("merge", `${at("fifths")}/b`, { spec: { a: "changed" } }),
      del(name("fifths")),
      patch("merge", name("fifths"), {
        metadata: { finalizers: ["customresourcecleanup.apiextensions.k8s.io", "z.test/z"] },
      }),
      patch("merge", `${at("fifths")}/b`, { metadata: { finalizers: null } }),
      gone("fifths"),
      until(name("fifths"), 404),
      get(at("fifths")),
      post(path, life("fifths", "Fifth")),
      served("fifths"),
      get(at("fifths")),
    ],
  },
  {
    name: "a CRD that was never served is deleted immediately",
    steps: [
      post(path, life("sixths", "First", {}, { singular: "sixth" })),
      "settle",
      get(name("sixths")),
      del(name("sixths")),
      until(name("sixths"), 404),
    ],
  },
  {
    name: "finalizers keep a CRD after its custom resources are deleted",
    steps: [
      post(path, {
        ...life("sevenths", "Seventh"),
        metadata: { name: `sevenths.${group}`, finalizers: ["x.test/y"] },
      }),
      served("sevenths"),
      post(at("sevenths"), object("Seventh", "a")),
      del(name("sevenths")),
      "settle",
      get(name("sevenths")),
      get(at("sevenths")),
      patch("merge", name("sevenths"), { metadata: { finalizers: null } }),
      until(name("sevenths"), 404),
      gone("sevenths"),
    ],
  },
  {
    name: "a changed schema also applies to existing objects",
    steps: [
      post(
        path,
        life("eighths", "Eighth", {
          versions: [version("v1", { schema: specSchema({ a: { type: "string" }, b: { type: "string" } }) })],
        }),
      ),
      served("eighths"),
      post(at("eighths"), object("Eighth", "a", { spec: { a: "one", b: "two" } })),
      patch("json", name("eighths"), [
        {
          op: "replace",
          path: "/spec/versions",
          value: [
            version("v1", {
              schema: specSchema({ a: { type: "string", maxLength: 2 }, c: { type: "string", default: "new" } }),
            }),
          ],
        },
      ]),
      "settle",
      get(`${at("eighths")}/a`),
      get(at("eighths")),
      patch("merge", `${at("eighths")}/a`, { metadata: { labels: { x: "y" } } }),
      patch("merge", `${at("eighths")}/a`, { spec: { a: "four" } }),
      patch("merge", `${at("eighths")}/a`, { spec: { c: "own" } }),
    ],
  },
  {
    name: "versions are added and removed",
    steps: [
      post(path, life("ninths", "Ninth")),
      served("ninths"),
      post(at("ninths"), object("Ninth", "a", { spec: { a: "x" } })),
      patch("json", name("ninths"), [
        { op: "add", path: "/spec/versions/-", value: version("v2", { storage: true }) },
        { op: "replace", path: "/spec/versions/0/storage", value: false },
      ]),
      until(`/apis/${group}/v2/ninths`),
      "settle",
      get(name("ninths")),
      get(`${at("ninths", "v2")}/a`),
      get(`${at("ninths")}/a`),
      patch("merge", `${at("ninths")}/a`, { spec: { a: "y" } }),
      post(at("ninths", "v2"), object("Ninth", "b", { spec: { a: "z" } }, `${group}/v2`)),
      get(at("ninths")),
      patch("json", name("ninths"), [{ op: "remove", path: "/spec/versions/0" }]),
      patch("json", name("ninths"), [{ op: "replace", path: "/spec/versions/0/served", value: false }]),
      gone("ninths"),
      until(`/apis/${group}/v2/ninths`),
      get(`/apis/${group}/v2/ninths`),
      patch("merge", `${name("ninths")}/status`, { status: { storedVersions: ["v2"] } }),
      patch("json", name("ninths"), [{ op: "remove", path: "/spec/versions/0" }]),
      "settle",
      get(at("ninths")),
      get(`${at("ninths", "v2")}/a`),
    ],
  },
  {
    name: "fields that cannot change once a CRD is served",
    steps: [
      post(path, life("tenths", "Tenth")),
      served("tenths"),
      until(name("tenths")),
      "settle",
      patch("merge", name("tenths"), {
        spec: { scope: "Cluster", names: { kind: "Other", plural: "others" }, group: "x.test" },
      }),
      patch("merge", name("tenths"), { spec: { names: { listKind: "Tens", categories: ["all"] } } }),
      "settle",
      get(name("tenths")),
      served("tenths"),
      get(at("tenths")),
      patch("merge", `${name("tenths")}/status`, {
        status: { acceptedNames: { plural: "A!" } },
        spec: { scope: "Cluster" },
      }),
      patch("merge", name("tenths"), { status: { storedVersions: [] } }),
    ],
  },
  {
    // Ends with the deletion of its objects: afterwards the real server writes the status any number of times.
    name: "a watch of CRDs reports every step",
    steps: [
      watch(`${path}?watch=1&fieldSelector=metadata.name%3Delevenths.${group}&resourceVersion=0`, 5, {
        meanwhile: [post(path, life("elevenths", "Eleventh")), ...pause(), del(name("elevenths"))],
      }),
    ],
  },
];

/** Requests without effect that take time. */
function pause(): ReturnType<typeof get>[] {
  return Array.from({ length: 200 }, () => get(path));
}
