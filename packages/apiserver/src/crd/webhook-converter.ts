import type { JsonRecord, Random } from "@homeostat/core";
import { restored } from "./converted-object.ts";
import { type AskWebhook, type Converter, refused } from "./converter.ts";
import { recordOf, textOf } from "./read.ts";
import { makeReview, readReview } from "./review.ts";

/** What a {@link webhookConverter} works with. */
export interface WebhookConverterOptions {
  readonly ask: AskWebhook;
  readonly reviewVersions: readonly string[];
  readonly random: Random;
}

/** Conversion by a webhook, which gets all objects at once. */
export function webhookConverter({ ask, reviewVersions, random }: WebhookConverterOptions): Converter {
  const convertAll = async (objects: readonly JsonRecord[], apiVersion: string): Promise<readonly JsonRecord[]> => {
    const [first = {}] = objects;
    const review = makeReview(objects.map(withoutVersion), { apiVersion, reviewVersions, random });
    if (review === undefined) throw refused("no supported conversion review versions");
    const about = `conversion webhook for ${textOf(first, "apiVersion")}, Kind=${textOf(first, "kind")}`;
    const answer = await ask(review.text).catch((error: unknown) => {
      throw refused(`${about} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    const read = readReview(answer, review);
    if ("problem" in read) throw refused(`${about} failed: ${read.problem}`);
    if (read.objects.length !== objects.length) {
      throw refused(`${about} returned ${read.objects.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) => {
      const result = restored(object, read.objects[index], apiVersion, index);
      if ("object" in result) return result.object;
      const isAboutObject = result.problem.startsWith("returned ");
      throw refused(isAboutObject ? `${about} ${result.problem}` : result.problem);
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

/** A webhook is shown objects as they are stored, where they do not know their own version. */
function withoutVersion(object: JsonRecord): JsonRecord {
  const { resourceVersion: _, ...metadata } = recordOf(object, "metadata");
  return { ...object, metadata };
}

function merged(
  all: readonly JsonRecord[],
  sent: readonly JsonRecord[],
  converted: readonly JsonRecord[],
): readonly JsonRecord[] {
  const places = new Map(sent.map((object, index) => [object, converted[index]]));
  return all.map((object) => places.get(object) ?? object);
}
