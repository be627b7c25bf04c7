// Rules for `spec.server`.

import type { DeepReadonly } from "homeostat";
import {
  envProblems,
  httpPathProblems,
  imageProblems,
  invalidField,
  labelProblems,
  objectNameProblems,
  type Problem,
  resourceProblems,
} from "@homeostat/schema";
import type { ServerSpec } from "../api/tenant.ts";

/** Environment variables that users cannot set. */
export const reservedVariables: readonly string[] = [
  "PORT",
  "TENANT_ID",
  "STORAGE_TYPE",
  "REDIS_HOST",
  "REDIS_PORT",
  "REDIS_DB",
  "REDIS_PASSWORD",
  "REDIS_URL",
];

export function* serverProblems(server: DeepReadonly<ServerSpec>): Iterable<Problem> {
  if (!(server.replicas >= 1)) {
    yield invalidField("spec.server.replicas", server.replicas, "server replicas must be at least 1");
  }
  yield* imageProblems("spec.server.image", server.image);
  yield* objectNameProblems("spec.server.imagePullSecrets", server.imagePullSecrets);
  yield* resourceProblems("spec.server.resources", server.resources);
  yield* envProblems("spec.server.env", server.env, { reserved: reservedVariables });
  yield* probeProblems(server.probes);
  yield* labelProblems("spec.server.nodeSelector", server.nodeSelector);
}

function* probeProblems(probes: DeepReadonly<ServerSpec["probes"]>): Iterable<Problem> {
  for (const which of ["liveness", "readiness", "startup"] as const) {
    const { path, successThreshold = 1 } = probes?.[which] ?? {};
    const field = `spec.server.probes.${which}`;
    yield* httpPathProblems(`${field}.path`, path);
    if (which !== "readiness" && successThreshold !== 1) {
      yield invalidField(`${field}.successThreshold`, successThreshold, `must be 1 for ${which}`);
    }
  }
}
