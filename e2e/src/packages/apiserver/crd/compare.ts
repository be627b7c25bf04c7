// Returns the differences between the responses of two servers.

import { isRecord } from "@homeostat/core";
import type { Case } from "../cases/case.ts";
import type { ComparedResponse } from "../cases/subject.ts";
import { ordered } from "../../../harness/normalise.ts";
import type { Servers } from "./servers.ts";

/** Options of a comparison. */
export interface CompareOptions {
  /** True if the servers write by themselves meanwhile, so that the identity of resource versions cannot be compared. */
  readonly isBusy?: boolean;
}

/** Runs a case on both servers. Returns one text for each step with a difference. */
export async function differences(
  { real, ours }: Servers,
  each: Case,
  { isBusy = false }: CompareOptions = {},
): Promise<string[]> {
  const [theirs, own] = await Promise.all([real.run(each, "default"), ours.run(each, "default")]);
  return theirs.flatMap((response, index) => {
    const text = (result: ComparedResponse | undefined): string => {
      const whole = JSON.stringify(settled(result)) ?? "";
      return isBusy ? whole.replace(/"<version \d+>"/g, '"<version>"') : whole;
    };
    const [a, b] = [text(response), text(own[index])];
    return a === b ? [] : [`${each.name}: ${response.request}\n  real: ${a}\n  ours: ${b}`];
  });
}

/** Returns a response with sorted errors and warnings: Go iterates maps in random order. */
function settled(response: ComparedResponse | undefined): unknown {
  if (response === undefined) return undefined;
  const { body, warnings } = response;
  const sorted: unknown = ordered(sortedManagers(sortedCauses(body)));
  return { ...response, warnings: [...new Set(warnings)].toSorted(), body: withoutAges(sorted) };
}

/** Replaces ages in tables and resource versions in messages. */
function withoutAges(body: unknown): unknown {
  const text = JSON.stringify(body) ?? "null";
  const aged = text.includes('"cells":') ? text.replace(/"\d+s"/g, '"<age>"') : text;
  return JSON.parse(aged.replace(/(resourceVersion[\\]+":[\\]+")\d+/g, "$1<version>"));
}

/** Sorts managedFields: they are ordered by the second of their last write, and the clocks of two servers may tick between two writes. */
function sortedManagers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedManagers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      // Several controllers of the real server write conditions, in any order.
      if (key === "conditions" && Array.isArray(each)) {
        return [key, each.map((entry) => JSON.stringify(ordered(entry))).toSorted()];
      }
      if (key !== "managedFields" || !Array.isArray(each)) return [key, sortedManagers(each)];
      // Whether a time changed also depends on the tick of a second.
      const texts = each.map((entry) => JSON.stringify(ordered(entry)).replaceAll('"f:lastTransitionTime":{},', ""));
      return [key, texts.toSorted()];
    }),
  );
}

/** Reports whether an error comes from a walk over a Go map that stops at the first unknown field: the reported fields are random. */
const randomProblems =
  /^(failed to (?:create|convert).*? \(\S+ .*?\)(?: to smd typed)?: ).*(?:errors:|field not declared in schema).*$/s;

function sortedCauses(body: unknown): unknown {
  if (!isRecord(body) || body["kind"] !== "Status") return body;
  const said = String(body["message"]);
  if (randomProblems.test(said)) return { ...body, message: said.replace(randomProblems, "$1<problems>") };
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
