// Delays controllers and services until the configuration has been read once.

import type { Controller } from "homeostat";
import type { Service } from "@homeostat/runtime";

/** Waits until the configuration was read once; rejects when the signal aborts. */
export type ConfigReady = (signal: AbortSignal) => Promise<void>;

/** Returns the controller, whose reconciles wait for the configuration. */
export function controllerAfterConfig(controller: Controller, ready: ConfigReady): Controller {
  const { definition } = controller;
  const { cleanup } = definition;
  return {
    ...controller,
    definition: {
      ...definition,
      async reconcile(context) {
        await ready(context.signal);
        return definition.reconcile(context);
      },
      ...(cleanup !== undefined && {
        async cleanup(context) {
          await ready(context.signal);
          return cleanup(context);
        },
      }),
    },
  };
}

/** Returns the service, which starts when the configuration was read. */
export function serviceAfterConfig(service: Service, ready: ConfigReady): Service {
  return {
    ...service,
    async run(signal) {
      try {
        await ready(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      await service.run(signal);
    },
  };
}
