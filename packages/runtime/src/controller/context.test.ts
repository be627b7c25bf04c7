// What the compiler makes of a status. Nothing here runs but the assertions that it compiled.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "@homeostat/core";
import type { ReconcileContext, StatusChange } from "./context.ts";

interface Site extends KubeObject {
  status?: { url?: string; hosts?: string[]; conditions?: { type: "Ready"; status: string }[] };
}

interface Job extends KubeObject {
  status?: { conditions?: { type: "Ready"; status: string }[] };
}

/** Stands for code whose faults the compiler must find. It is not run. */
function compiles(code: (site: ReconcileContext<Site>, job: ReconcileContext<Job>) => void): void {
  assert.equal(typeof code, "function");
}

describe("setStatus", () => {
  it("takes fields of the status, read-only or not, and undefined to remove one", () => {
    const hosts: readonly string[] = ["a"];
    const change: StatusChange<Site> = { url: undefined, hosts };

    compiles(({ setStatus }) => {
      setStatus(change);
      setStatus((status) => ({ url: status?.hosts?.[0] }));
    });
  });

  it("refuses fields that the status does not have", () => {
    compiles(({ setStatus }) => {
      // @ts-expect-error there is no such field
      setStatus({ uri: "a" });
      // @ts-expect-error nor in what a function returns
      setStatus(() => ({ uri: "a" }));
    });
  });

  it("refuses every field for a kind with conditions only", () => {
    compiles((_, { setStatus }) => {
      // @ts-expect-error there are no fields
      setStatus({ foo: 1 });
      // @ts-expect-error nor in what a function returns
      setStatus(() => ({ foo: 1 }));
    });
  });

  it("refuses conditions, which setCondition sets", () => {
    compiles(({ setStatus }, job) => {
      // @ts-expect-error conditions have a method of their own
      setStatus({ conditions: [{ type: "Ready", status: "True" }] });
      // @ts-expect-error also where there is nothing else
      job.setStatus({ conditions: [] });
    });
  });
});
