import type { Controller } from "@homeostat/runtime";
// Internal: the controllers of the cluster run without a manager, which is the only other user of this name.
import { controllerUnit } from "@homeostat/runtime/internal";
import type { ControlLoop, ControlParts } from "./parts.ts";

/** Runs a controller built with `defineController` as a loop of the control plane, without a manager. */
export function controllerLoop(
  controller: Controller,
  parts: Parameters<typeof controllerUnit>[1],
  name: string = controller.name,
): ControlLoop {
  return {
    name,
    when: "leading",
    async run(signal) {
      const unit = controllerUnit(controller, parts);
      unit.open();
      try {
        await unit.ready(signal);
        await unit.lead({ stop: signal, abort: signal });
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        unit.close();
      }
    },
  };
}

/**
 * Runs a controller of the control plane as a loop. `component` is the event source, as kube-controller-manager names
 * it.
 */
export function componentLoop(parts: ControlParts, controller: Controller, component: string): ControlLoop {
  const { client, cache, clock, random, log, events } = parts;
  return controllerLoop(controller, { client, cache, clock, random, log, events: events.outlet(component) }, component);
}
