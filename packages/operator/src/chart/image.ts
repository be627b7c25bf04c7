/** The parts of an image reference. Absent parts are empty. */
export interface ImageName {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** Splits `registry:5000/shop/operator:1.0@sha256:…` into its parts. A colon before the last slash belongs to a port. */
export function splitImage(image: string): ImageName {
  const [name = "", digest = ""] = image.split("@", 2);
  const colon = name.lastIndexOf(":");
  const hasTag = colon > name.lastIndexOf("/");
  return { repository: hasTag ? name.slice(0, colon) : name, tag: hasTag ? name.slice(colon + 1) : "", digest };
}
