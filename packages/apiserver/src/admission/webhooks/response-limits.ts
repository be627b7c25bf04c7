import { checkJsonLimits, JsonLimitError, type JsonLimits } from "@homeostat/core";

/** A document that a webhook sends. */
export type WebhookDocument = "AdmissionReview" | "ConversionReview" | "patch";

const bytesMax = 16 * 1_024 * 1_024;
/** As deep as the API server reads any object. */
const depthMax = 1_000;

/**
 * Limits of what webhooks send. A webhook is a program of a user, and its response is parsed on the event loop of the API server.
 *
 * A review for admission holds a patch as one string; a conversion holds whole lists of objects, of which a few hundred are at most
 * some 100,000 values.
 */
const limits: Readonly<Record<WebhookDocument, JsonLimits>> = {
  AdmissionReview: { bytesMax, depthMax, valuesMax: 20_000 },
  ConversionReview: { bytesMax, depthMax, valuesMax: 1_000_000 },
  patch: { bytesMax, depthMax, valuesMax: 200_000 },
};

/** YAML is parsed a hundred times slower than JSON, and no known webhook sends it. */
const yamlBytesMax = 256 * 1_024;

/** Returns why a document of a webhook is not parsed; undefined when it is within the limits. */
export function limitProblem(text: string, document: WebhookDocument): string | undefined {
  // A review that is not a JSON object is taken for YAML; a patch is always JSON.
  if (document !== "patch" && !text.trimStart().startsWith("{")) {
    return text.length > yamlBytesMax
      ? `the ${document} exceeds the limit of ${yamlBytesMax} bytes of YAML`
      : undefined;
  }
  try {
    checkJsonLimits(text, { what: `the ${document}`, ...limits[document] });
    return undefined;
  } catch (error) {
    if (error instanceof JsonLimitError) return error.message;
    throw error;
  }
}
