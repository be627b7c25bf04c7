// The settings of the operator: flags with their environment variables, and the configuration that is reloaded.

import { flag } from "homeostat";
import { dnsSubdomainProblems, releaseVersion } from "@homeostat/core";
import type { SettingsOf } from "@homeostat/operator";
import { configMapName } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import type { OperatorConfig } from "./config.ts";

const objectName = (text: string): string | undefined =>
  dnsSubdomainProblems(text).length === 0 ? undefined : "must be the name of an object";

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The flags of this operator, in addition to those of every operator. */
export const sandboxFlags = {
  maxConcurrentReconciles: flag.integer({
    default: 4,
    min: 1,
    max: 100,
    help: "number of objects of each kind reconciled concurrently",
  }),
  configMap: flag.text({
    default: configMapName,
    help: "name of the ConfigMap in the operator's namespace whose key config.yaml is reloaded when it changes",
    placeholder: "name",
    check: objectName,
  }),
  proxyImage: flag.text({
    default: `${proxyName}:${releaseVersion}`,
    help: "image of the routing proxy that Services select while they are taken over",
    placeholder: "image",
    check: (text) => (text === "" || /\s/.test(text) ? "must be the name of an image" : undefined),
  }),
  proxyOtlpEndpoint: flag.text({
    default: "",
    help: "URL of the OpenTelemetry collector to which routing proxies send spans of sampled requests; empty for none",
    placeholder: "url",
    check: (text) => (text === "" || isHttpUrl(text) ? undefined : "must be an http or https URL"),
  }),
};

/** The values of the flags. */
export type SandboxFlags = SettingsOf<typeof sandboxFlags>;

/** All settings of the operator. */
export interface SandboxSettings extends SandboxFlags {
  readonly operatorNamespace: string;
  /** Returns the configuration in force. It changes at run time. */
  readonly config: () => OperatorConfig;
}
