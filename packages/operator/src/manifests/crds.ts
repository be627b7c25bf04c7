import type { CustomResourceDefinition } from "@homeostat/schema";
import { metadataOf } from "./metadata.ts";
import { conversionPath } from "./names.ts";
import type { Installation } from "./options.ts";
import { clientConfigOf, injectionNote } from "./webhooks.ts";

/** The CRDs of an installation; those with a conversion know the webhook that does it. */
export function crdManifests(installation: Installation): CustomResourceDefinition[] {
  const { operator, certificates } = installation;
  return operator.resources.map((resource) => {
    const isConverted =
      certificates !== undefined &&
      operator.conversions.some(
        ({ resource: other }) => other.group === resource.group && other.plural === resource.plural,
      );
    const { labels = {}, annotations = {} } = metadataOf(installation, {
      annotations: isConverted ? injectionNote(installation) : {},
    });
    return resource.crd({
      labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(isConverted ? { conversionWebhook: clientConfigOf(installation, conversionPath) } : {}),
    });
  });
}
