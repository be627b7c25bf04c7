// Where the answers of two servers differ.

import { isRecord } from "@homeostat/core";
import type { Case } from "../cases/case.ts";
import type { Told } from "../cases/subject.ts";
import { ordered } from "./comparable.ts";
import type { Servers } from "./servers.ts";

/** Runs a case on both servers, and tells where their answers differ: one text for each step. */
export async function differences({ real, ours }: Servers, each: Case, namespace = "default"): Promise<string[]> {
  const [theirs, own] = await Promise.all([real.run(each, namespace), ours.run(each, namespace)]);
  return theirs.flatMap((told, index) => {
    const [a, b] = [JSON.stringify(settled(told)), JSON.stringify(settled(own[index]))];
    return a === b ? [] : [`${each.name}: ${told.request}\n  real: ${a}\n  ours: ${b}`];
  });
}

/** An answer in a certain order: problems are found in the random order of Go's maps, and warnings with them. */
function settled(told: Told | undefined): unknown {
  if (told === undefined) return undefined;
  const { body, warnings } = told;
  const sorted: unknown = ordered(sortedManagers(sortedCauses(body)));
  return { ...told, warnings: [...new Set(warnings)].toSorted(), body: withoutAges(sorted) };
}

/** Ages in tables differ by the second, and versions within texts by the server. */
function withoutAges(body: unknown): unknown {
  const text = JSON.stringify(body) ?? "null";
  const aged = text.includes('"cells":') ? text.replace(/"\d+s"/g, '"<age>"') : text;
  return JSON.parse(aged.replace(/(resourceVersion[\\]+":[\\]+")\d+/g, "$1<version>"));
}

/** Owners are sorted by the second of their last write, which the two servers may see on two sides of a tick. */
function sortedManagers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedManagers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "managedFields" || !Array.isArray(each)) return [key, sortedManagers(each)];
      return [key, each.map((entry) => JSON.stringify(ordered(entry))).toSorted()];
    }),
  );
}

function sortedCauses(body: unknown): unknown {
  if (!isRecord(body) || body["kind"] !== "Status") return body;
  const details = isRecord(body["details"]) ? body["details"] : {};
  const { causes } = details;
  if (!Array.isArray(causes) || causes.length < 2) return body;
  const message = String(body["message"]);
  return {
    ...body,
    message: `${message.slice(0, message.indexOf(": ["))} ${message.length}`,
    details: { ...details, causes: causes.map((cause) => JSON.stringify(ordered(cause))).toSorted() },
  };
}
