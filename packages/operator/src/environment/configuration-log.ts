import type { Service, ServiceTools } from "@homeostat/runtime";
import type { ConfigurationWarning } from "./environment-reader.ts";

/** Input of {@link configurationLog}. */
export interface ConfigurationLogOptions {
  /** The name of the service. */
  readonly name: string;
  /** The settings to log. They must not contain secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly warnings: readonly ConfigurationWarning[];
}

/** Returns a service that logs the configuration of an operator once at start, with a warning for each invalid variable. */
export function configurationLog({
  name,
  settings,
  warnings,
}: ConfigurationLogOptions): (tools: Pick<ServiceTools, "log">) => Service {
  return ({ log }) => ({
    name,
    when: "always",
    async run() {
      for (const warning of warnings) log.warn("Using default for invalid setting", { ...warning });
      log.info("Operator configuration loaded", settings);
    },
  });
}
