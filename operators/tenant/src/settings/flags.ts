import { dnsLabelProblems } from "@homeostat/core";
import { flag, type SettingsOf } from "@homeostat/operator";
import { parseImage, redisImage, serverImage } from "./images.ts";
import type { TenantSettings } from "./settings.ts";

const imageName = (text: string): string | undefined =>
  parseImage(text) === undefined ? "has to be the name of an image" : undefined;

const namespaceName = (text: string): string | undefined =>
  dnsLabelProblems(text).length === 0 ? undefined : "has to be the name of a namespace";

function httpUrl(text: string): string | undefined {
  const isHttp = URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
  return isHttp ? undefined : "has to be a URL that begins with http:// or https://";
}

/** The flags that this operator has beside those of every operator. Each is an environment variable too. */
export const tenantFlags = {
  maxConcurrentReconciles: flag.integer({
    default: 4,
    min: 1,
    max: 100,
    help: "how many tenants are worked on at a time",
  }),
  resyncInterval: flag.duration({
    default: 300_000,
    minMs: 1000,
    maxMs: 86_400_000,
    help: "how long until a tenant is looked at again when nothing happens",
  }),
  authServiceUrl: flag.optional({
    help: "where the authentication service is; servers are told",
    placeholder: "url",
    check: httpUrl,
  }),
  authServiceNamespace: flag.optional({
    help: "the namespace of that service, which servers may then reach",
    placeholder: "name",
    check: namespaceName,
  }),
  defaultServerImage: flag.text({
    default: serverImage,
    help: "the image of servers that name none",
    placeholder: "image",
    check: imageName,
  }),
  defaultRedisImage: flag.text({
    default: redisImage,
    help: "the image of Redis where none is named",
    placeholder: "image",
    check: imageName,
  }),
};

/** What the flags say, in the words of the operator's parts. */
export function settingsOf(
  { resyncInterval, ...values }: SettingsOf<typeof tenantFlags>,
  { operatorNamespace }: Pick<TenantSettings, "operatorNamespace">,
): TenantSettings {
  return { ...values, resyncIntervalMs: resyncInterval, operatorNamespace };
}
