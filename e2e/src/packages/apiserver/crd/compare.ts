// Where the answers of two servers differ.

import { isRecord } from "@homeostat/core";
import type { Case } from "../cases/case.ts";
import type { Told } from "../cases/subject.ts";
import { ordered } from "../../../harness/normalise.ts";
import type { Servers } from "./servers.ts";

/** How answers are compared. */
export interface CompareOptions {
  /** Whether the servers write by themselves meanwhile, so that it cannot be told which versions are the same. */
  readonly isBusy?: boolean;
}

/** Runs a case on both servers, and tells where their answers differ: one text for each step. */
export async function differences(
  { real, ours }: Servers,
  each: Case,
  { isBusy = false }: CompareOptions = {},
): Promise<string[]> {
  const [theirs, own] = await Promise.all([real.run(each, "default"), ours.run(each, "default")]);
  return theirs.flatMap((told, index) => {
    const text = (answer: Told | undefined): string => {
      const whole = JSON.stringify(settled(answer)) ?? "";
      return isBusy ? whole.replace(/"<version \d+>"/g, '"<version>"') : whole;
    };
    const [a, b] = [text(told), text(own[index])];
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
      // Several controllers of the real server write conditions, in the order in which they happen to come.
      if (key === "conditions" && Array.isArray(each)) {
        return [key, each.map((entry) => JSON.stringify(ordered(entry))).toSorted()];
      }
      if (key !== "managedFields" || !Array.isArray(each)) return [key, sortedManagers(each)];
      // Whether a time changed depends on the tick of a second, too.
      const texts = each.map((entry) => JSON.stringify(ordered(entry)).replaceAll('"f:lastTransitionTime":{},', ""));
      return [key, texts.toSorted()];
    }),
  );
}

/** A walk through a map of Go, which ends at the first strange field: which problems it finds is a matter of luck. */
const lucky =
  /^(failed to (?:create|convert).*? \(\S+ .*?\)(?: to smd typed)?: ).*(?:errors:|field not declared in schema).*$/s;

function sortedCauses(body: unknown): unknown {
  if (!isRecord(body) || body["kind"] !== "Status") return body;
  const said = String(body["message"]);
  if (lucky.test(said)) return { ...body, message: said.replace(lucky, "$1<problems>") };
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
