// Reads the configuration again whenever its ConfigMap changes.

import type { Service, ServiceTools } from "homeostat";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { Gauge } from "@homeostat/runtime";
import { configKey } from "../api/identity.ts";
import { describeConfigProblems } from "./config.ts";
import type { ConfigSource } from "./config-source.ts";

export interface ConfigWatchOptions {
  readonly source: ConfigSource;
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly name: string;
}

/**
 * Returns the service that keeps a {@link ConfigSource} up to date. It runs in every process, because every replica serves webhooks.
 * A configuration with problems is logged, shown by a metric, and not used.
 */
export function configWatch(
  tools: Pick<ServiceTools, "cache" | "log" | "registry">,
  { source, namespace, name }: ConfigWatchOptions,
): Service {
  const { cache, log, registry } = tools;
  registry.register(
    new Gauge({
      name: "sandbox_config_problems",
      help: "Number of problems in the configuration that was read last. If it is not zero, the previous configuration is in force.",
      read: (set) => set(source.problems.length),
    }),
  );
  const update = (text: string | undefined): void => {
    const result = source.update(text);
    if (result.outcome === "loaded") log.info("Configuration loaded", { configMap: `${namespace}/${name}` });
    if (result.outcome !== "rejected") return;
    const problems = describeConfigProblems(result.problems);
    const hint = `Correct ${configKey} of ConfigMap ${namespace}/${name}; the previous configuration stays in force`;
    log.error("Configuration rejected", { problems, hint });
  };
  let isRead = false;
  return {
    name: "configuration",
    when: "always",
    isReady: () => isRead,
    async run(signal) {
      using maps = cache.informer(ConfigMap, { namespace, fields: `metadata.name=${name}` });
      const read = (): void => update(maps.get({ namespace, name })?.data?.[configKey]);
      try {
        await maps.ready(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      read();
      isRead = true;
      for await (const _ of maps.events(signal)) read();
    },
  };
}
