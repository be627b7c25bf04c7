import type { Controller } from "../controller/definition.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import { ArgumentError } from "@homeostat/core";
import { kindsOf } from "../preflight/need.ts";
import type { PartWork } from "./part.ts";
import type { Service } from "./service.ts";

/** A controller as a part of a manager. */
export function controllerWork(controller: Controller, unit: ControllerUnit): PartWork {
  const name = `controller/${unit.name}`;
  return {
    name,
    need: { name, access: unit.access, kinds: kindsOf(controller) },
    mayEnd: false,
    open: () => unit.open(),
    ready: (signal) => unit.ready(signal),
    run: (signals) => unit.lead(signals),
    close: () => unit.close(),
  };
}

/** A service as a part of a manager. */
export function serviceWork(service: Service): PartWork {
  const name = `service/${service.name}`;
  return {
    name,
    need: { name, access: service.access ?? [] },
    mayEnd: true,
    run: ({ stop }) => service.run(stop),
    isReady: () => service.isReady?.() ?? true,
  };
}

/** Refuses two parts with one name: neither logs nor metrics could tell them apart. */
export function checkNames(works: readonly PartWork[]): void {
  const seen = new Set<string>();
  for (const { name } of works) {
    if (seen.has(name)) throw new ArgumentError({ argument: name, problem: "is there twice; give one another name." });
    if (!/^[a-z]+\/[a-zA-Z0-9._-]+$/.test(name)) {
      throw new ArgumentError({ argument: name, problem: "has a name with other than letters, digits, ., _ and -." });
    }
    seen.add(name);
  }
}
