import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import { localCondition } from "./local-condition.ts";
import { isSet, listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import { segmentName } from "../../../validation/names.ts";
import type { CreateContext, KindStrategy } from "../../strategy.ts";
import { checkApiService } from "./validation.ts";

/** APIServices: the name must be `version.group`, and one without a Service is always available. */
export const apiServiceStrategy: KindStrategy = {
  group: "apiregistration.k8s.io",
  plural: "apiservices",
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: { "apiregistration.v1.ServiceReference": { values: { port: 443 } } },
  prepareForCreate: prepareNewApiService,
  validateName: versionAndGroupName,
  validate: checkApiService,
  status: keptStatusMetadata,
  table: { cells: apiServiceCells },
};

function versionAndGroupName(name: string, options: { readonly isPrefix: boolean }, object: JsonRecord): string[] {
  const expected = `${textAt(object, "spec", "version")}.${textAt(object, "spec", "group")}`;
  const problems = segmentName(name, options);
  if (problems.length > 0) return problems;
  return name === expected ? [] : [`must be \`spec.version+"."+spec.group\`: ${quote(expected)}`];
}

/** Sets the initial status: local groups are available; the availability controller sets the condition of aggregated ones. */
function prepareNewApiService(object: JsonRecord, { nowMs }: CreateContext): void {
  object["status"] = isSet(object, "spec", "service") ? {} : { conditions: [localCondition(nowMs)] };
}

function apiServiceCells(object: unknown, nowMs: number): unknown[] {
  const service = valueAt(object, "spec", "service");
  const where = isSet(service) ? `${textAt(service, "namespace")}/${textAt(service, "name")}` : "Local";
  return [nameOf(object), where, availability(object), age(object, nowMs)];
}

function availability(object: unknown): string {
  const condition = listAt(object, "status", "conditions").find((each) => textAt(each, "type") === "Available");
  if (condition === undefined) return "Unknown";
  const [status, reason] = [textAt(condition, "status"), textAt(condition, "reason")];
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}
