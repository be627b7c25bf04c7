import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runArguments } from "./run-arguments.ts";

describe("I: flags of the operator in Go", () => {
  it("are said in the words of this one", () => {
    const { argv, warnings, problems } = runArguments([
      "--leader-elect",
      "-metrics-bind-address=:8443",
      "--enable-webhooks=true",
      "--webhook-cert-path",
      "/certs",
      "--webhook-cert-name=a.crt",
      "--webhook-cert-wait-timeout=30s",
      "--metrics-secure=false",
      "--metrics-cert-path=/metrics",
      "--enable-http2=false",
    ]);

    assert.deepEqual(argv, [
      "--leader-elect",
      "--metrics-bind-address=:8443",
      "--webhooks=true",
      "--webhook-cert-dir=/certs",
      "--webhook-cert-name=a.crt",
      "--webhook-cert-wait-timeout=30s",
      "--metrics-secure=false",
      "--metrics-cert-dir=/metrics",
    ]);
    assert.deepEqual([warnings, problems], [[], []]);
  });

  it("that have no effect are told about, once each", () => {
    const { argv, warnings } = runArguments(["--enable-http2", "--leader-elect", "--enable-http2=true"]);

    assert.deepEqual(argv, ["--leader-elect"]);
    assert.deepEqual(warnings, ["--enable-http2 has no effect: metrics and webhooks are served over HTTP/1.1 alone."]);
  });

  it("that cannot be right are refused, all at once", () => {
    const { problems } = runArguments(["--enable-webhooks", "--webhook-self-signed=false", "--webhook-cert-path"]);

    assert.deepEqual(problems, [
      "--webhook-cert-path wants a value.",
      "--webhook-cert-path is missing: webhooks are on, and --webhook-self-signed is off.",
    ]);
  });

  it("are left alone in other commands than running", () => {
    const argv = ["manifests", "--enable-webhooks"];

    assert.deepEqual(runArguments(argv), { argv, warnings: [], problems: [] });
  });
});
