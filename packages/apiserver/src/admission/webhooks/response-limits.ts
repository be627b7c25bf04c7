import { checkJsonLimits, JsonLimitError, type JsonLimits } from "@homeostat/core";

/** A document that a webhook sends. */
export type WebhookDocument = "AdmissionReview" | "ConversionReview" | "patch";

const bytesMax = 16 * 1_024 * 1_024;
/** The nesting that the API server accepts in any object. */
const depthMax = 1_000;

/**
 * Limits for documents from webhooks. A webhook is user code, and its response is parsed on the event loop of the API
 * server, where an oversized document would delay all other requests.
 *
 * A review for admission contains a patch as one string; a conversion contains whole lists of objects, of which a few
 * hundred have at most some 100,000 values.
 */
const limits: Readonly<Record<WebhookDocument, JsonLimits>> = {
  AdmissionReview: { bytesMax, depthMax, valuesMax: 20_000 },
  ConversionReview: { bytesMax, depthMax, valuesMax: 1_000_000 },
  patch: { bytesMax, depthMax, valuesMax: 200_000 },
};

/** Parsing YAML is a hundred times slower than parsing JSON, and no known webhook sends YAML. */
const yamlBytesMax = 256 * 1_024;

/** Returns why a document exceeds the limits; undefined if it does not. */
export function limitProblem(text: string, document: WebhookDocument): string | undefined {
  // A review that is not a JSON object is parsed as YAML; a patch is always JSON.
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
