import type { JsonRecord, Random } from "@homeostat/core";
import { restoreMetadata } from "./restore-metadata.ts";
import { type CallWebhook, type Converter, conversionError } from "./converter.ts";
import { recordOf, textOf } from "../values/properties.ts";
import { makeReview, readReview } from "./review.ts";

/** Options of {@link webhookConverter}. */
export interface WebhookConverterOptions {
  readonly call: CallWebhook;
  readonly reviewVersions: readonly string[];
  readonly random: Random;
}

/** Returns a converter that calls a webhook once for all objects. */
export function webhookConverter({ call, reviewVersions, random }: WebhookConverterOptions): Converter {
  const convertAll = async (objects: readonly JsonRecord[], apiVersion: string): Promise<readonly JsonRecord[]> => {
    const [first = {}] = objects;
    const review = makeReview(objects.map(withoutVersion), { apiVersion, reviewVersions, random });
    if (review === undefined) throw conversionError("no supported conversion review versions");
    const about = `conversion webhook for ${textOf(first, "apiVersion")}, Kind=${textOf(first, "kind")}`;
    const responseText = await call(review.text).catch((error: unknown) => {
      throw conversionError(`${about} failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    });
    const read = readReview(responseText, review);
    if ("problem" in read) throw conversionError(`${about} failed: ${read.problem}`);
    if (read.objects.length !== objects.length) {
      throw conversionError(`${about} returned ${read.objects.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) => {
      const result = restoreMetadata(object, read.objects[index], apiVersion, index);
      if ("object" in result) return result.object;
      const isAboutObject = result.problem.startsWith("returned ");
      throw conversionError(isAboutObject ? `${about} ${result.problem}` : result.problem);
    });
  };
  return {
    isLocal: false,
    convert: (objects, apiVersion) => {
      const others = objects.filter((object) => textOf(object, "apiVersion") !== apiVersion);
      if (others.length === 0) return objects;
      return convertAll(others, apiVersion).then((converted) => merged(objects, others, converted));
    },
  };
}

/** Webhooks see objects as stored, which is without a resourceVersion. */
function withoutVersion(object: JsonRecord): JsonRecord {
  const { resourceVersion: _, ...metadata } = recordOf(object, "metadata");
  return { ...object, metadata };
}

function merged(
  all: readonly JsonRecord[],
  sent: readonly JsonRecord[],
  converted: readonly JsonRecord[],
): readonly JsonRecord[] {
  const byObject = new Map(sent.map((object, index) => [object, converted[index]]));
  return all.map((object) => byObject.get(object) ?? object);
}
