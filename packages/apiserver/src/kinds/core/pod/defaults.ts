import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { entriesAt, isSet, listAt, numberAt } from "../../../values/fields.ts";
import type { TypeDefaults } from "../../defaulting/defaults.ts";
import { fill, partOf } from "../../defaulting/fill.ts";
import { podSpecDefaults } from "../../pod-templates/pod-spec-defaults.ts";

/** Sets missing requests to the limits. */
function requestsFromLimits(value: unknown): void {
  for (const each of listAt(value)) {
    if (!isRecord(each) || !isSet(each, "resources", "limits")) continue;
    const requests = partOf(partOf(each, "resources"), "requests");
    for (const [name, limit] of entriesAt(each, "resources", "limits")) {
      if (!Object.hasOwn(requests, name)) safeSet(requests, name, limit);
    }
  }
}

function hostPorts(value: unknown): void {
  for (const port of listAt(value).flatMap((each) => listAt(each, "ports"))) {
    if (isRecord(port) && numberAt(port, "hostPort") === 0) safeSet(port, "hostPort", port["containerPort"]);
  }
}

function defaultPod(value: JsonRecord): void {
  const spec = partOf(value, "spec");
  requestsFromLimits(spec["containers"]);
  requestsFromLimits(spec["initContainers"]);
  fill(spec, { enableServiceLinks: true });
  if (spec["hostNetwork"] !== true) return;
  hostPorts(spec["containers"]);
  hostPorts(spec["initContainers"]);
}

/** Defaults of pods, and of the pod specs in all kinds. */
export const podDefaults: TypeDefaults = { ...podSpecDefaults, "core.v1.Pod": { rule: defaultPod } };
