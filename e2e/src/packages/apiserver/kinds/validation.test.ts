import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  applyKindDefaults,
  builtInByKind,
  checkChangedObject,
  checkedKinds,
  checkNewObject,
  prepareForUpdate,
} from "@homeostat/apiserver";
import { isRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { formatProblem } from "@homeostat/schema";
import { reasonToSkip, shareCluster, startCluster } from "../../../harness/cluster.ts";
import { volume } from "../../../harness/volume.ts";
import { Dice } from "./dice.ts";
import { isNamedDifference } from "./known-differences.ts";
import { spoil, thin } from "./mutate.ts";
import { created } from "./ours.ts";
import { type Rich, riches } from "./rich.ts";
import { at, type Reply, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });
const rounds = volume({ sample: 15, full: 40 }, "HOMEOSTAT_ROUNDS");
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? 1);

describe("verdicts on objects of built-in kinds beside a real server", { skip }, () => {
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

  it("are the same, all problems in the same words and order", async () => {
    const dice = new Dice(seed);
    const found = new Map<string, { count: number; text: string }>();
    const tally = { accepted: 0, refused: 0, undecodable: 0, problems: 0, named: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const rich of riches) {
        const kind = builtInByKind(rich.group, rich.version, rich.kind);
        if (kind === undefined || !checkedKinds.includes(`${kind.plural}.${kind.group}`)) continue;
        const body = dice.chance(0.4)
          ? thin(rich.body, dice, dice.pick([0.01, 0.03, 0.1, 0.3]))
          : spoil(rich.body, dice, 1 + dice.below(3));
        const reply = await server.ask({
          method: "POST",
          path: `${rich.path}?dryRun=All&fieldValidation=Ignore`,
          body,
        });
        const theirs = verdictOf(reply);
        if (theirs === undefined) {
          tally.undecodable += 1;
          continue;
        }
        // Which addresses are free only a registry knows.
        if (theirs.some((text) => text.includes("failed to allocate IP"))) {
          tally.named += 1;
          continue;
        }
        const ours = ourProblems(rich, body, reply);
        if (theirs.length === 0) tally.accepted += 1;
        else tally.refused += 1;
        tally.problems += theirs.length;
        if (JSON.stringify(ours) === JSON.stringify(theirs)) continue;
        for (const text of differencesOf(ours, theirs)) {
          if (isNamedDifference(text)) {
            tally.named += 1;
            continue;
          }
          const place = `${rich.kind} ${text.replace(/\[\d+\]/g, "[]").replace(/"[^"]*"/g, "Q")}`;
          const known = found.get(place);
          if (known === undefined) found.set(place, { count: 1, text: `${rich.kind}: ${text}` });
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

describe("verdicts on changes beside a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    // Its own: it creates objects of every kind, also policies and webhooks that are valid for the whole cluster.
    cluster = await startCluster({ need: "apiserver" });
    server = new Server(cluster);
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  it("are the same, all problems in the same words and order", async () => {
    const dice = new Dice(seed);
    const found = new Map<string, { count: number; text: string }>();
    const tally = { accepted: 0, refused: 0, undecodable: 0, problems: 0, named: 0 };
    for (const rich of riches) {
      const kind = builtInByKind(rich.group, rich.version, rich.kind);
      if (kind === undefined || !changeable.has(`${kind.plural}.${kind.group}`)) continue;
      const old = await stored(server, rich);
      const name = String(at(old, "metadata", "name"));
      for (let round = 0; round < rounds; round += 1) {
        const { metadata, status: _, ...rest } = structuredClone(old);
        const changed = dice.chance(0.3)
          ? thin({ metadata, ...rest }, dice, 0.03)
          : spoil(rest, dice, 1 + dice.below(2));
        const body = { apiVersion: old["apiVersion"], kind: old["kind"], ...changed, metadata };
        const reply = await server.ask({
          method: "PUT",
          path: `${rich.path}/${name}?dryRun=All&fieldValidation=Ignore`,
          body,
        });
        const theirs = reply.status === 200 ? [] : verdictOf(reply);
        if (theirs === undefined) {
          tally.undecodable += 1;
          continue;
        }
        // Addresses and their families are taken by the registry, before anything else is looked at.
        if (theirs.some((text) => /^spec\.(?:ipFamil|clusterIP)/.test(text))) {
          tally.named += 1;
          continue;
        }
        const made = applyKindDefaults(rich.group, rich.version, rich.kind, structuredClone(body));
        prepareForUpdate(kind, made, old);
        if (rich.kind === "Service") alignAddresses(made, old);
        const ours = checkChangedObject(kind, made, { old }).map(formatProblem).map(withoutValue);
        const wanted = theirs.map(withoutValue);
        if (wanted.length === 0) tally.accepted += 1;
        else tally.refused += 1;
        tally.problems += wanted.length;
        if (JSON.stringify(ours) === JSON.stringify(wanted)) continue;
        for (const text of differencesOf(ours, wanted)) {
          if (isNamedDifference(text)) tally.named += 1;
          else {
            const place = `${rich.kind} ${text.replace(/\[\d+\]/g, "[]").replace(/"[^"]*"/g, "Q")}`;
            const known = found.get(place);
            if (known === undefined) found.set(place, { count: 1, text: `${rich.kind}: ${text}` });
            else known.count += 1;
          }
        }
      }
      await server.ask({
        method: "DELETE",
        path: `${rich.path}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`,
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

/** Creates the full object, or one without its finalizer, and gives what was stored. */
async function stored(server: Server, rich: Rich): Promise<Record<string, unknown>> {
  const { finalizers: _, ...metadata } = rich.body["metadata"] as Record<string, unknown>;
  const name = String(metadata["name"]);
  await server.ask({
    method: "DELETE",
    path: `${rich.path}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`,
  });
  const object = await server.good({ method: "POST", path: rich.path, body: { ...rich.body, metadata } });
  if (!isRecord(object)) throw new Error(rich.kind);
  return object;
}

/** Go prints what the server holds, with all its fields; we do not keep such a form. */
function withoutValue(text: string): string {
  return text.replace(/Invalid value: .*: (field is immutable|cannot change roleRef)$/s, "Invalid value: …: $1");
}

/** The problems that the server names; none when it accepts; undefined when it cannot read the object. */
function verdictOf({ status, body }: Reply): string[] | undefined {
  if (status === 201) return [];
  const causes = at(body, "details", "causes");
  if (status !== 422 || !Array.isArray(causes)) return undefined;
  return causes.map((cause: unknown) => `${String(at(cause, "field"))}: ${String(at(cause, "message"))}`);
}

function ourProblems(rich: Rich, body: Record<string, unknown>, reply: Reply): string[] {
  const kind = builtInByKind(rich.group, rich.version, rich.kind);
  if (kind === undefined) throw new Error(rich.kind);
  const uid = at(reply.body, "metadata", "uid");
  const object = created(rich, body, typeof uid === "string" ? uid : "uid");
  if (kind.scope === "Namespaced") {
    const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
    object["metadata"] = { ...metadata, namespace: "default" };
  }
  if (rich.kind === "Service") alignAddresses(object);
  return checkNewObject(kind, object).map(formatProblem);
}

/** Makes one of the two ways to say the addresses of a Service, in place, of the other, as the registry does before all checks. */
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
  // Go walks maps in no certain order, so problems under one path may come in any.
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
