import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { builtInByKind, checkedKinds, checkNewObject } from "@homeostat/apiserver";
import { isRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { formatProblem } from "@homeostat/schema";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { Dice } from "./dice.ts";
import { isNamedDifference } from "./known-differences.ts";
import { spoil, thin } from "./mutate.ts";
import { created } from "./ours.ts";
import { type Rich, riches } from "./rich.ts";
import { at, type Reply, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });
const rounds = Number(process.env["HOMEOSTAT_ROUNDS"] ?? 40);
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? 1);

describe("verdicts on objects of built-in kinds beside a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
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
      const lines = [...found.values()].toSorted((a, b) => b.count - a.count).map(({ count, text }) => `${count} ${text}`);
      process.stderr.write(`${JSON.stringify(tally)}\n${lines.join("\n").slice(0, 20000)}\n`);
    }

    assert.deepEqual(
      [...found.values()].map(({ text }) => text).slice(0, 20),
      [],
      JSON.stringify(tally),
    );
  });
});

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
  const object = created(rich, body, String(at(reply.body, "metadata", "uid") ?? "uid"));
  if (kind.scope === "Namespaced") {
    const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
    object["metadata"] = { ...metadata, namespace: "default" };
  }
  return checkNewObject(kind, object).map(formatProblem);
}

function differencesOf(ours: readonly string[], theirs: readonly string[]): string[] {
  const missing = minus(theirs, ours).map((text) => `missing ${text}`);
  const extra = minus(ours, theirs).map((text) => `extra ${text}`);
  if (missing.length + extra.length > 0) return [...missing, ...extra];
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
