import { ForbiddenError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { parseRoutingSettings, type RoutingSettings } from "@homeostat/routing";
import {
  configMapName,
  defaultConfig,
  type OperatorConfig,
  parseConfig,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type { ViewContext } from "../views/view.ts";

/** Routing settings, with a note if they are not those of the configuration. */
export interface ReadSettings {
  readonly settings: RoutingSettings;
  readonly notes: readonly string[];
}

/** The configuration of the operator, with a note if the defaults stand for it. */
export interface ReadConfig {
  readonly config: OperatorConfig;
  readonly notes: readonly string[];
}

/** Reads the part of the operator's configuration that decides how requests carry keys. */
export async function readRoutingSettings(context: ViewContext, signal: AbortSignal): Promise<ReadSettings> {
  const { config, notes } = await readOperatorConfig(context, signal);
  return { settings: parseRoutingSettings(config.routing).settings, notes };
}

/** Reads the operator's configuration. Users may not be allowed to read it; the defaults count then. */
export async function readOperatorConfig(
  { client }: Pick<ViewContext, "client">,
  signal: AbortSignal,
): Promise<ReadConfig> {
  const place = `ConfigMap ${systemNamespace}/${configMapName}`;
  const usingDefaults = (why: string): ReadConfig => ({
    config: defaultConfig,
    notes: [`${why}, so the default configuration of the operator is used.`],
  });
  try {
    const found = await client.get(ConfigMap, { namespace: systemNamespace, name: configMapName }, { signal });
    const text = found?.data?.["config.yaml"];
    if (text === undefined) return { config: defaultConfig, notes: [] };
    const parsed = parseConfig(text);
    return "config" in parsed ? { config: parsed.config, notes: [] } : usingDefaults(`${place} is not valid`);
  } catch (error) {
    if (error instanceof ForbiddenError) return usingDefaults(`You are not allowed to get ${place}`);
    throw error;
  }
}
