import type { CustomResourceDefinition } from "@homeostat/schema";
import { metadataOf } from "./metadata.ts";
import { conversionPath } from "../installation/names.ts";
import type { Installation } from "../definition/installation.ts";
import { clientConfigOf, caInjectionAnnotation } from "./webhooks.ts";

/** Returns the CRDs of an installation. Those with a conversion refer to its webhook. */
export function crdManifests(installation: Installation): CustomResourceDefinition[] {
  const { operator, certificates } = installation;
  return operator.resources.map((resource) => {
    const isConverted =
      certificates !== undefined &&
      operator.conversions.some(
        ({ resource: other }) => other.group === resource.group && other.plural === resource.plural,
      );
    const { labels = {}, annotations = {} } = metadataOf(installation, {
      annotations: isConverted ? caInjectionAnnotation(installation) : {},
    });
    return resource.crd({
      labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(isConverted ? { conversionWebhook: clientConfigOf(installation, conversionPath) } : {}),
    });
  });
}
