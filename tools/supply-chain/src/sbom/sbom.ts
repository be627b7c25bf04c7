// CycloneDX 1.6 documents. Their content depends only on the repository, so that two builds of one commit are identical.

import { createHash } from "node:crypto";
import type { Lockfile, LockedPackage } from "../lockfile/lockfile.ts";
import type { BaseImage } from "../review/base-images.ts";

/** The subject of an SBOM. */
export interface SbomSubject {
  readonly type: "library" | "container";
  readonly name: string;
  readonly version: string;
  /** The package whose production dependencies are listed. */
  readonly source: LockedPackage;
  /** The base of an image. */
  readonly base?: BaseImage;
  /** Paths of packages that dependencies of the source need, and that the subject does not contain. */
  readonly leftOut?: ReadonlySet<string>;
}

interface Component {
  readonly type: string;
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
}

/** A CycloneDX document. */
export interface Sbom {
  readonly $schema: string;
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Builds the SBOM of a package or an image. */
export function buildSbom(lockfile: Lockfile, subject: SbomSubject): Sbom {
  const { source, base, leftOut = new Set() } = subject;
  const parts = lockfile.closureOf(source, leftOut).filter((part) => part !== source);
  const refsOf = (part: LockedPackage): readonly string[] =>
    lockfile
      .dependenciesOf(part)
      .filter(({ path }) => !leftOut.has(path))
      .map(refOf);
  const own: Component =
    subject.type === "library"
      ? { ...componentOf(source), version: subject.version }
      : { type: "container", "bom-ref": `image:${subject.name}`, name: subject.name, version: subject.version };
  const bases = base === undefined ? [] : [baseComponent(base)];
  const direct = refsOf(source);
  const body = {
    metadata: { component: own },
    components: [...parts.map(componentOf), ...bases],
    dependencies: [
      { ref: own["bom-ref"], dependsOn: [...direct, ...bases.map((one) => one["bom-ref"])] },
      ...parts.map((part) => ({ ref: refOf(part), dependsOn: refsOf(part) })),
      ...bases.map((one) => ({ ref: one["bom-ref"], dependsOn: [] })),
    ],
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
}

function componentOf(part: LockedPackage): Component {
  const { name, version, integrity, license } = part;
  return {
    type: "library",
    "bom-ref": refOf(part),
    name,
    version,
    purl: packageUrl(name, version),
    ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
    ...(license !== undefined && {
      licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    }),
  };
}

function baseComponent({ image, digest }: BaseImage): Component {
  const [name = "", tag = ""] = image.split(":");
  return {
    type: "container",
    "bom-ref": `image:${image}@${digest}`,
    name,
    version: tag,
    purl: `pkg:docker/${name}@${encodeURIComponent(digest)}?tag=${encodeURIComponent(tag)}`,
  };
}

/** Two versions of one package may be installed at different paths, so the path is part of the reference. */
function refOf({ path, name, version }: LockedPackage): string {
  return `${name}@${version}|${path}`;
}

function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}

/** Converts `sha512-<base64>` to the form of CycloneDX. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = "", base64 = ""] = integrity.split("-", 2);
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(base64, "base64").toString("hex") };
}

/** Derives a UUID of version 8 from a text. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
