// The jars of the image. Their checksums are part of this repository, so a registry cannot replace one of them.

import { createHash } from "node:crypto";

/** A jar of the Maven registry. */
export interface Jar {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly sha256: string;
}

/** Reads the list of jars: checksums by `group:artifact:version`. */
export function readJars(text: string): readonly Jar[] {
  const list: unknown = JSON.parse(text);
  return Object.entries(list ?? {}).map(([name, sha256]) => {
    const [group = "", artifact = "", version = ""] = name.split(":");
    return { group, artifact, version, sha256: String(sha256) };
  });
}

/** Returns the file name of a jar. */
export function jarFile({ artifact, version }: Jar): string {
  return `${artifact}-${version}.jar`;
}

/** Returns a Maven project that depends on exactly these jars, without their own dependencies. */
export function mavenProject(jars: readonly Jar[]): string {
  const dependencies = jars.map(
    ({ group, artifact, version }) => `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
      <exclusions>
        <exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka-image</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join("\n")}
  </dependencies>
</project>
`;
}

/** Returns the problems of downloaded jars: missing, unexpected, or with another checksum. */
export function jarProblems(jars: readonly Jar[], files: ReadonlyMap<string, Buffer>): readonly string[] {
  const expected = new Set(jars.map(jarFile));
  const unexpected = [...files.keys()].filter((name) => !expected.has(name)).map((name) => `${name} is not expected`);
  const wrong = jars.flatMap((jar) => {
    const name = jarFile(jar);
    const content = files.get(name);
    if (content === undefined) return [`${name} is missing`];
    const found = createHash("sha256").update(content).digest("hex");
    return found === jar.sha256 ? [] : [`${name} has the checksum ${found} instead of ${jar.sha256}`];
  });
  return [...unexpected, ...wrong];
}
