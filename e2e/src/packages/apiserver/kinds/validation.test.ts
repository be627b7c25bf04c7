import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  applyKindDefaults,
  builtInByKind,
  checkChangedObject,
  checkedKinds,
  checkNewObject,
  prepareForUpdate,
} from "@homeostat/apiserver/internal";
import { isRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { formatProblem } from "@homeostat/schema";
import { reasonToSkip, shareCluster, startCluster } from "../../../harness/cluster.ts";
import { volume } from "../../../harness/volume.ts";
import { Dice } from "./dice.ts";
import { isKnownDifference } from "./known-differences.ts";
import { withChangedValues, withoutSomeFields } from "./mutate.ts";
import { created } from "./ours.ts";
import { type CompleteObject, completeObjects } from "./complete-objects.ts";
import { at, type ApiResponse, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });
const rounds = volume({ sample: 15, full: 40 }, "HOMEOSTAT_ROUNDS");
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? 1);

describe("validation of built-in kinds, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    cluster = await shareCluster();
    server = new Server(cluster);
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  it("reports the same errors in the same order", async () => {
    const dice = new Dice(seed);
    const found = new Map<string, { count: number; text: string }>();
    const tally = { accepted: 0, refused: 0, undecodable: 0, problems: 0, named: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const complete of completeObjects) {
        const kind = builtInByKind(complete.group, complete.version, complete.kind);
        if (kind === undefined || !checkedKinds.includes(`${kind.plural}.${kind.group}`)) continue;
        const body = dice.chance(0.4)
          ? withoutSomeFields(complete.body, dice, dice.pick([0.01, 0.03, 0.1, 0.3]))
          : withChangedValues(complete.body, dice, 1 + dice.below(3));
        const response = await server.ask({
          method: "POST",
          path: `${complete.path}?dryRun=All&fieldValidation=Ignore`,
          body,
        });
        const theirs = verdictOf(response);
        if (theirs === undefined) {
          tally.undecodable += 1;
          continue;
        }
        // Only a registry knows which addresses are free.
        if (theirs.some((text) => text.includes("failed to allocate IP"))) {
          tally.named += 1;
          continue;
        }
        const ours = ourProblems(complete, body, response);
        if (theirs.length === 0) tally.accepted += 1;
        else tally.refused += 1;
        tally.problems += theirs.length;
        if (JSON.stringify(ours) === JSON.stringify(theirs)) continue;
        for (const text of differencesOf(ours, theirs)) {
          if (isKnownDifference(text)) {
            tally.named += 1;
            continue;
          }
          const groupKey = `${complete.kind} ${text.replace(/\[\d+\]/g, "[]").replace(/"[^"]*"/g, "Q")}`;
          const known = found.get(groupKey);
          if (known === undefined) found.set(groupKey, { count: 1, text: `${complete.kind}: ${text}` });
          else known.count += 1;
        }
      }
    }
    if (process.env["HOMEOSTAT_TALK"] !== undefined) {
      const lines = [...found.values()]
        .toSorted((a, b) => b.count - a.count)
        .map(({ count, text }) => `${count} ${text}`);
      process.stderr.write(`${JSON.stringify(tally)}\n${lines.join("\n").slice(0, 20000)}\n`);
    }

    assert.deepEqual([...found.values()].map(({ text }) => text).slice(0, 20), [], JSON.stringify(tally));
  });
});

describe("validation of updates, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    // Its own cluster: it creates objects of every kind, including policies and webhooks that affect the whole cluster.
    cluster = await startCluster({ need: "apiserver" });
    server = new Server(cluster);
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  it("reports the same errors in the same order", async () => {
    const dice = new Dice(seed);
    const found = new Map<string, { count: number; text: string }>();
    const tally = { accepted: 0, refused: 0, undecodable: 0, problems: 0, named: 0 };
    for (const complete of completeObjects) {
      const kind = builtInByKind(complete.group, complete.version, complete.kind);
      if (kind === undefined || !changeable.has(`${kind.plural}.${kind.group}`)) continue;
      const old = await stored(server, complete);
      const name = String(at(old, "metadata", "name"));
      for (let round = 0; round < rounds; round += 1) {
        const { metadata, status: _, ...rest } = structuredClone(old);
        const changed = dice.chance(0.3)
          ? withoutSomeFields({ metadata, ...rest }, dice, 0.03)
          : withChangedValues(rest, dice, 1 + dice.below(2));
        const body = { apiVersion: old["apiVersion"], kind: old["kind"], ...changed, metadata };
        const response = await server.ask({
          method: "PUT",
          path: `${complete.path}/${name}?dryRun=All&fieldValidation=Ignore`,
          body,
        });
        const theirs = response.status === 200 ? [] : verdictOf(response);
        if (theirs === undefined) {
          tally.undecodable += 1;
          continue;
        }
        // The registry allocates addresses and their families before anything else is validated.
        if (theirs.some((text) => /^spec\.(?:ipFamil|clusterIP)/.test(text))) {
          tally.named += 1;
          continue;
        }
        const made = applyKindDefaults(complete.group, complete.version, complete.kind, structuredClone(body));
        prepareForUpdate(kind, made, old);
        if (complete.kind === "Service") alignAddresses(made, old);
        const ours = checkChangedObject(kind, made, { old }).map(formatProblem).map(withoutValue);
        const expected = theirs.map(withoutValue);
        if (expected.length === 0) tally.accepted += 1;
        else tally.refused += 1;
        tally.problems += expected.length;
        if (JSON.stringify(ours) === JSON.stringify(expected)) continue;
        for (const text of differencesOf(ours, expected)) {
          if (isKnownDifference(text)) tally.named += 1;
          else {
            const groupKey = `${complete.kind} ${text.replace(/\[\d+\]/g, "[]").replace(/"[^"]*"/g, "Q")}`;
            const known = found.get(groupKey);
            if (known === undefined) found.set(groupKey, { count: 1, text: `${complete.kind}: ${text}` });
            else known.count += 1;
          }
        }
      }
      await server.ask({
        method: "DELETE",
        path: `${complete.path}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`,
      });
    }
    if (process.env["HOMEOSTAT_TALK"] !== undefined) {
      const lines = [...found.values()]
        .toSorted((a, b) => b.count - a.count)
        .map(({ count, text }) => `${count} ${text}`);
      process.stderr.write(`CHANGES ${JSON.stringify(tally)}\n${lines.join("\n").slice(0, 20000)}\n`);
    }

    assert.deepEqual([...found.values()].map(({ text }) => text).slice(0, 20), [], JSON.stringify(tally));
  });
});

const changeable = new Set([
  "configmaps.",
  "secrets.",
  "services.",
  "jobs.batch",
  "deployments.apps",
  "replicasets.apps",
  "daemonsets.apps",
  "statefulsets.apps",
  "rolebindings.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
]);

/** Creates the complete object, or one without its finalizer. Returns the stored object. */
async function stored(server: Server, complete: CompleteObject): Promise<Record<string, unknown>> {
  const { finalizers: _, ...metadata } = complete.body["metadata"] as Record<string, unknown>;
  const name = String(metadata["name"]);
  await server.ask({
    method: "DELETE",
    path: `${complete.path}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`,
  });
  const object = await server.good({ method: "POST", path: complete.path, body: { ...complete.body, metadata } });
  if (!isRecord(object)) throw new Error(complete.kind);
  return object;
}

/** Removes the Go representation of the old object from a message: it contains all internal fields. */
function withoutValue(text: string): string {
  return text.replace(/Invalid value: .*: (field is immutable|cannot change roleRef)$/s, "Invalid value: …: $1");
}

/** Returns the errors that the server reports, an empty list if it accepts the object, or undefined if it cannot decode it. */
function verdictOf({ status, body }: ApiResponse): string[] | undefined {
  if (status === 201) return [];
  const causes = at(body, "details", "causes");
  if (status !== 422 || !Array.isArray(causes)) return undefined;
  return causes.map((cause: unknown) => `${String(at(cause, "field"))}: ${String(at(cause, "message"))}`);
}

function ourProblems(complete: CompleteObject, body: Record<string, unknown>, response: ApiResponse): string[] {
  const kind = builtInByKind(complete.group, complete.version, complete.kind);
  if (kind === undefined) throw new Error(complete.kind);
  const uid = at(response.body, "metadata", "uid");
  const object = created(complete, body, typeof uid === "string" ? uid : "uid");
  if (kind.scope === "Namespaced") {
    const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
    object["metadata"] = { ...metadata, namespace: "default" };
  }
  if (complete.kind === "Service") alignAddresses(object);
  return checkNewObject(kind, object).map(formatProblem);
}

/** Copies clusterIP and clusterIPs of a Service in place, as the registry does before validation. */
function alignAddresses(object: Record<string, unknown>, old: Record<string, unknown> = {}): void {
  const { spec } = object;
  if (!isRecord(spec)) return;
  const before = isRecord(old["spec"]) ? old["spec"] : {};
  if (!spec["clusterIP"]) spec["clusterIP"] = before["clusterIP"] ?? at(spec, "clusterIPs", "0");
  if (spec["clusterIP"]) spec["clusterIPs"] = [spec["clusterIP"]];
}

function differencesOf(ours: readonly string[], theirs: readonly string[]): string[] {
  const missing = minus(theirs, ours).map((text) => `missing ${text}`);
  const extra = minus(ours, theirs).map((text) => `extra ${text}`);
  if (missing.length + extra.length > 0) return [...missing, ...extra];
  // Go iterates maps in random order, so errors below one path come in any order.
  const places = (list: readonly string[]): string => list.map((text) => text.slice(0, text.indexOf(": "))).join();
  if (places(ours) === places(theirs)) return [];
  return [`order ${theirs.join(" | ")} || ${ours.join(" | ")}`];
}

function minus(list: readonly string[], other: readonly string[]): string[] {
  const rest = [...other];
  return list.filter((text) => {
    const index = rest.indexOf(text);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}
