// Checks that the model test detects bugs. Each mutant has one plausible bug.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Request } from "@homeostat/client";
import { type DeepReadonly, isRecord, type JsonRecord, type KubeObject } from "@homeostat/core";
import { ConfigMap } from "../testing/writes-bench.ts";
import { Widget } from "../testing/managed-bench.ts";
import { findFailure, type HistoryOptions } from "../testing/managed-model.ts";
import { defaultMark, Ownership } from "./ownership.ts";
import { type SettledSet, SettledSets } from "./settled-sets.ts";

/** Maximum number of histories before a bug counts as missed. Most are found within the first fifty. */
const historiesMax = 600;

/** Returns a controller that changes the bodies of some requests. */
function withBody(isMeant: (request: Request) => boolean, change: (body: JsonRecord) => unknown): HistoryOptions {
  const request = (sent: Request): Request => {
    if (!isMeant(sent) || typeof sent.body !== "string") return sent;
    const body: unknown = JSON.parse(sent.body);
    return { ...sent, body: JSON.stringify(isRecord(body) ? change(body) : change({ list: body })) };
  };
  return { controller: { request } };
}

function isPatch(format: "apply-patch+yaml" | "json-patch+json"): (request: Request) => boolean {
  return ({ method, headers }) => method === "PATCH" && headers?.["content-type"] === `application/${format}`;
}

/** Sends a creation as server-side apply. */
function applied(sent: Request): Request {
  if (sent.method !== "POST" || typeof sent.body !== "string") return sent;
  const [path = "", query = ""] = sent.path.split("?");
  const body: unknown = JSON.parse(sent.body);
  const { name } = Object(isRecord(body) ? body["metadata"] : {});
  const headers = { ...sent.headers, "content-type": "application/apply-patch+yaml" };
  return { ...sent, method: "PATCH", path: `${path}/${name}?${query}&force=true`, headers };
}

function withOwnership(ownership: Ownership): HistoryOptions {
  return { controller: { ownership } };
}

/** Treats every object with the annotation as owned, even with another controller owner or as a copy. */
class TrustingOwnership extends Ownership {
  override ownerUidOf({ metadata: { annotations = {} } }: DeepReadonly<KubeObject>): string | undefined {
    return annotations[defaultMark.uid];
  }
}

/** Remembers no versions of objects, so that changes of them go unnoticed. */
class CarelessSets extends SettledSets {
  override remember(key: string, set: SettledSet): void {
    super.remember(key, { ...set, desired: [], others: [] });
  }
}

const every = [ConfigMap, Widget].flatMap((type) =>
  ["a", "b", "c"].map((name) => ({ type, key: { namespace: "default", name } })),
);

const mutants: readonly (readonly [fault: string, options: HistoryOptions])[] = [
  [
    "deletes without preconditions",
    withBody(
      ({ method }) => method === "DELETE",
      ({ preconditions: _preconditions, ...options }) => options,
    ),
  ],
  [
    "applies without UID and version",
    withBody(isPatch("apply-patch+yaml"), ({ metadata, ...object }) => {
      const { uid: _uid, resourceVersion: _version, ...rest } = Object(metadata);
      return { ...object, metadata: rest };
    }),
  ],
  ["creates by server-side apply", { controller: { request: applied } }],
  ["leaves the fields of the creation to the Update entry", withBody(isPatch("json-patch+json"), () => [])],
  ["prunes nothing", { syncOptions: { keep: every } }],
  ["trusts annotations", withOwnership(new TrustingOwnership())],
  ["describes all sets with the same inputs", { inputsOf: () => "same" }],
  [
    "does not compare the versions of objects in a settled set",
    { inputsOf: (specs) => JSON.stringify(specs), controller: { settledSets: () => new CarelessSets() } },
  ],
  [
    "treats copies as owned",
    withOwnership(new Ownership({ mark: { uid: defaultMark.uid, desiredHash: defaultMark.desiredHash } })),
  ],
];

describe("the model test of managed objects detects a controller that", () => {
  for (const [fault, options] of mutants) {
    it(fault, async () => {
      assert.notEqual(await findFailure(options, historiesMax), undefined);
    });
  }
});
