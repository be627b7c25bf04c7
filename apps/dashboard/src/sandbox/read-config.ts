import { ForbiddenError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { defaultRoutingSettings, parseRoutingSettings, type RoutingSettings } from "@homeostat/routing";
import { configMapName, parseConfig, systemNamespace } from "@homeostat/sandbox-operator";
import type { ViewContext } from "../views/view.ts";

/** Routing settings, with a note if they are not those of the configuration. */
export interface ReadSettings {
  readonly settings: RoutingSettings;
  readonly notes: readonly string[];
}

/** Reads the part of the operator's configuration that decides how requests carry keys. Users may not be allowed to read it; the defaults count then. */
export async function readRoutingSettings({ client }: ViewContext, signal: AbortSignal): Promise<ReadSettings> {
  const place = `ConfigMap ${systemNamespace}/${configMapName}`;
  const usingDefaults = (why: string): ReadSettings => ({
    settings: defaultRoutingSettings,
    notes: [`${why}, so the default names of headers are used.`],
  });
  try {
    const found = await client.get(ConfigMap, { namespace: systemNamespace, name: configMapName }, { signal });
    const text = found?.data?.["config.yaml"];
    if (text === undefined) return { settings: defaultRoutingSettings, notes: [] };
    const parsed = parseConfig(text);
    return "config" in parsed
      ? { settings: parseRoutingSettings(parsed.config.routing).settings, notes: [] }
      : usingDefaults(`${place} is not valid`);
  } catch (error) {
    if (error instanceof ForbiddenError) return usingDefaults(`You are not allowed to get ${place}`);
    throw error;
  }
}
