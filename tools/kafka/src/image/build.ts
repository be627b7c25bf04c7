// Builds the files of the Kafka image: a small Java runtime, the jars of Kafka, and an archive of loaded classes.

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildOnce, run, ToolMissingError, whyNoTool } from "@homeostat/kube";
import { commonArguments } from "../adapter/java.ts";
import { jarProblems, mavenProject, readJars } from "./jars.ts";

const source = fileURLToPath(new URL("../../image/", import.meta.url));

/** Modules that Kafka needs. Its logger needs `java.desktop`, for `java.beans`. */
const modules = [
  "java.base",
  "java.desktop",
  "java.logging",
  "java.management",
  "java.naming",
  "java.security.jgss",
  "java.security.sasl",
  "java.sql",
  "java.xml",
  "jdk.crypto.ec",
  "jdk.management",
  "jdk.net",
  "jdk.unsupported",
];

/** Returns the reason why the image cannot be built here, or undefined. */
export async function whyNoKafkaImage(): Promise<string | undefined> {
  const missing = (await whyNoTool("mvn", ["--version"])) ?? (await whyNoTool("jlink", ["--version"]));
  return missing && `${missing}; run: apt-get install -y maven openjdk-17-jdk-headless`;
}

/** Builds the root folder of the image, unless an earlier build of the same files exists. Returns its path. */
export async function buildKafkaRoot(): Promise<string> {
  const folder = await buildOnce({ source, name: "kafka" }, ["1", ...modules, ...commonArguments], async (target) => {
    const reason = await whyNoKafkaImage();
    if (reason !== undefined) throw new ToolMissingError(reason);
    const root = join(target, "root");
    rmSync(root, { recursive: true, force: true });
    for (const name of ["opt/kafka", "etc", "proc", "tmp"]) mkdirSync(join(root, name), { recursive: true });
    await addJars(target, join(root, "opt/kafka/lib"));
    await addJava(join(root, "opt/java"));
    copyFileSync(join(source, "log4j2.properties"), join(root, "opt/kafka/log4j2.properties"));
    copySharedLibraries(root);
    await train(root);
  });
  return join(folder, "root");
}

async function addJars(target: string, lib: string): Promise<void> {
  const jars = readJars(readFileSync(join(source, "jars.json"), "utf8"));
  const project = join(target, "pom.xml");
  writeFileSync(project, mavenProject(jars));
  const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${lib}`];
  await run("mvn", ["--batch-mode", "--quiet", "--file", project, ...goal], { cwd: target });
  const files = new Map(readdirSync(lib).map((name) => [name, readFileSync(join(lib, name))]));
  const problems = jarProblems(jars, files);
  if (problems.length > 0) throw new Error(`The jars of Kafka are not the expected ones: ${problems.join("; ")}`);
}

async function addJava(folder: string): Promise<void> {
  const small = ["--strip-debug", "--no-header-files", "--no-man-pages"];
  await run("jlink", ["--add-modules", modules.join(","), ...small, "--output", folder]);
  // Graphics and sound: a third of the libraries.
  const unused = /^lib(?:awt|fontmanager|freetype|mlib_image|lcms|javajpeg|splashscreen|jsound)/;
  for (const name of readdirSync(join(folder, "lib"))) if (unused.test(name)) rmSync(join(folder, "lib", name));
}

/** Copies the libraries of the system that the Java runtime links to. */
function copySharedLibraries(root: string): void {
  const java = join(root, "opt/java");
  const libraries = readdirSync(join(java, "lib"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".so"),
  );
  for (const file of [join(java, "bin/java"), ...libraries.map((name) => join(java, "lib", name))]) {
    for (const [, path = ""] of execFileSync("ldd", [file], { encoding: "utf8" }).matchAll(/(\/\S+\.so\S*)/g)) {
      if (path.startsWith(root) || !existsSync(path)) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      copyFileSync(realpathSync(path), join(root, path));
    }
  }
}

async function train(root: string): Promise<void> {
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  copyFileSync(join(source, "train.properties"), join(root, "tmp/train.properties"));
  const namespaces = ["--uts", "--net", "--mount", "--propagation=private"];
  // The option that names the archive is for processes that use it.
  const args = commonArguments.filter((one) => !one.startsWith("-XX:SharedArchiveFile="));
  await run("unshare", [...namespaces, "sh", join(source, "train.sh"), root, ...args]);
  rmSync(join(root, "tmp"), { recursive: true });
  mkdirSync(join(root, "tmp"));
}
