import type { Controller } from "../controller/definition.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import { ArgumentError } from "@homeostat/core";
import { kindsOf } from "../preflight/prerequisites.ts";
import type { PartWork } from "./part.ts";
import type { Service } from "./service.ts";

/** Returns the work of a controller as a part of a manager. */
export function controllerWork(controller: Controller, unit: ControllerUnit): PartWork {
  const name = `controller/${unit.name}`;
  return {
    name,
    prerequisites: {
      name,
      access: unit.access,
      kinds: kindsOf(controller),
      areKindsOptional: controller.definition.areKindsOptional,
    },
    mayEnd: false,
    open: () => unit.open(),
    ready: (signal) => unit.ready(signal),
    run: (signals) => unit.lead(signals),
    close: () => unit.close(),
  };
}

/** Returns the work of a service as a part of a manager. */
export function serviceWork(service: Service): PartWork {
  const name = `service/${service.name}`;
  return {
    name,
    prerequisites: { name, access: service.access ?? [] },
    mayEnd: true,
    run: ({ stop }) => service.run(stop),
    isReady: () => service.isReady?.() ?? true,
    stopMs: service.stopMs,
  };
}

/** Throws an `ArgumentError` for invalid names and for two parts with the same name, which logs and metrics could not tell apart. */
export function checkNames(works: readonly PartWork[]): void {
  const seen = new Set<string>();
  for (const { name } of works) {
    if (seen.has(name)) throw new ArgumentError({ argument: name, problem: "is not unique; rename one of the two." });
    if (!/^[a-z]+\/[a-zA-Z0-9._-]+$/.test(name)) {
      throw new ArgumentError({
        argument: name,
        problem: "is not a valid name; use letters, digits, '.', '_' and '-'.",
      });
    }
    seen.add(name);
  }
}
