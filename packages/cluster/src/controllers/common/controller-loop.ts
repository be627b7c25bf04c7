import { type Controller, controllerUnit } from "@homeostat/runtime";
import type { ControlLoop, ControlParts } from "./parts.ts";

/** Runs a controller that is made with `defineController` as a part of the control plane. `component`: whom its events name. */
export function controllerLoop(parts: ControlParts, controller: Controller, component: string): ControlLoop {
  const { client, cache, clock, random, log, events } = parts;
  return {
    name: component,
    when: "leading",
    async run(signal) {
      const unit = controllerUnit(controller, {
        client,
        cache,
        clock,
        random,
        log,
        events: events.outlet(component),
      });
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
