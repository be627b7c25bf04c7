import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AskProgram, checkMachine, type ProgramAnswer, versionIn } from "./machine.ts";

const answers =
  (known: Readonly<Record<string, ProgramAnswer>>): AskProgram =>
  async (name) =>
    known[name] ?? "missing";
const all = { npm: { version: "11.3.0" }, git: { version: "2.39.5" }, kubectl: { version: "v1.36.3" } };

describe("checks of this machine", () => {
  it("name the programs with their versions, and one of several that do the same", async () => {
    const ask = answers({ ...all, podman: { version: "5.4.0" }, helm: { version: "v3.22.0" } });

    const findings = await checkMachine({ nodeVersion: "24.2.0", ask });

    assert.deepEqual(
      findings.map(({ state, text }) => `${state} ${text}`),
      [
        "ok Node.js 24.2.0",
        "ok npm 11.3.0",
        "ok git 2.39.5",
        "ok kubectl v1.36.3",
        "ok podman 5.4.0",
        "ok helm v3.22.0",
      ],
    );
  });

  it("say what needs a missing program, and make it a problem only if nothing works without it", async () => {
    const findings = await checkMachine({ nodeVersion: "20.19.0", ask: answers({}) });

    assert.deepEqual(
      findings.map(({ state }) => state),
      ["ok", "problem", "note", "note", "note", "note"],
    );
    assert.match(findings[3]?.text ?? "", /^kubectl is not installed: the guides .* with it\. See https:/);
    assert.match(
      findings[4]?.text ?? "",
      /^None of docker, podman, buildah is installed: one of them builds the image/,
    );
  });

  it("refuse a Node.js that is too old, and say which program does not work", async () => {
    const ask = answers({ ...all, kubectl: { problem: "exec format error" } });

    const [node, , , kubectl] = await checkMachine({ nodeVersion: "20.18.3", ask });

    assert.deepEqual(
      [node?.state, kubectl?.state, kubectl?.text.startsWith("kubectl does not work (exec format error): ")],
      ["problem", "note", true],
    );
    assert.match(node?.text ?? "", /20\.18\.3 is too old: Homeostat needs 20\.19 or newer/);
  });

  it("find the version in what programs print", () => {
    assert.equal(versionIn("git version 2.39.5\n"), "2.39.5");
    assert.equal(versionIn("Docker version 28.1.1, build 4eba377"), "28.1.1");
    assert.equal(versionIn("Client Version: v1.36.3\nKustomize Version: v5.7.1"), "v1.36.3");
    assert.equal(versionIn("v3.22.0+g1234567"), "v3.22.0+g1234567");
    assert.equal(versionIn("unknown\n"), "unknown");
  });
});
