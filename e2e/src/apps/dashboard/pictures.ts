// The pictures of docs/guides/dashboard.md, made by the tests.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../harness/repository.ts";
import type { PageName } from "./pages.ts";

/** A picture, as recorded beside it. */
export interface RecordedPicture {
  /** Landmarks of the page when the picture was made. */
  readonly landmarks: readonly string[];
  readonly sha256: string;
}

/** Size of the page in a picture, in CSS pixels. */
export const pictureSize = { width: 960, height: 640 } as const;

const pictured: ReadonlySet<PageName> = new Set([
  "overview",
  "resource",
  "why",
  "load-test",
  "cluster",
  "sandbox",
  "route-map",
]);

/** Folder of the pictures. */
export const picturesFolder = join(repository, "docs/guides/images/dashboard");
const file = join(picturesFolder, "pictures.json");

/** Reports whether the guide has a picture of a page. */
export function isPictured(page: PageName): boolean {
  return pictured.has(page);
}

/** Returns the records of all pictures, by page. */
export function recordedPictures(): Readonly<Record<string, RecordedPicture>> {
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, RecordedPicture>>;
}

/** Writes a picture and its record. */
export function recordPicture(
  page: PageName,
  { landmarks, png }: { readonly landmarks: readonly string[]; readonly png: Buffer },
): void {
  mkdirSync(picturesFolder, { recursive: true });
  writeFileSync(join(picturesFolder, `${page}.png`), png);
  const sha256 = createHash("sha256").update(png).digest("hex");
  const all = { ...recordedPictures(), [page]: { landmarks, sha256 } };
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}
