import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { Conversion, ResourceVersion } from "@homeostat/schema";

/**
 * Converts an object to a version of its resource, as the conversion webhook would: the object travels as JSON, and the result must satisfy the schema
 * of the version. Throws a `ConversionError` or an `InvalidObjectError`.
 *
 * @example
 * const old = convertTo(siteConversion, Site.versions.v1beta1, site);
 * assert.equal(old.spec.size, 2);
 */
export function convertTo<Out extends KubeObject, In>(
  conversion: Conversion,
  version: ResourceVersion<Out, In>,
  object: DeepReadonly<KubeObject>,
): Out {
  const sent: unknown = JSON.parse(JSON.stringify(object));
  const converted: unknown = JSON.parse(JSON.stringify(conversion.convert(sent, version.apiVersion).object));
  return version.parse(converted);
}
