// Tests of the status types. The compiler checks them; at run time only the final assertions are executed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "@homeostat/core";
import type { ReconcileContext } from "./context.ts";
import type { StatusChange } from "../writes/status-change.ts";

interface Site extends KubeObject {
  status?: { url?: string; hosts?: string[]; conditions?: { type: "Ready"; status: string }[] };
}

interface Job extends KubeObject {
  status?: { conditions?: { type: "Ready"; status: string }[] };
}

/** Takes code whose errors the compiler must find. The code is never executed. */
function compiles(code: (site: ReconcileContext<Site>, job: ReconcileContext<Job>) => void): void {
  assert.equal(typeof code, "function");
}

describe("setStatus", () => {
  it("accepts fields of the status, read-only or not, and undefined to remove one", () => {
    const hosts: readonly string[] = ["a"];
    const change: StatusChange<Site> = { url: undefined, hosts };

    compiles(({ setStatus }) => {
      setStatus(change);
      setStatus((status) => ({ url: status?.hosts?.[0] }));
    });
  });

  it("rejects fields that the status does not have", () => {
    compiles(({ setStatus }) => {
      // @ts-expect-error there is no such field
      setStatus({ uri: "a" });
      // @ts-expect-error nor in what a function returns
      setStatus(() => ({ uri: "a" }));
    });
  });

  it("rejects every field for a kind with conditions only", () => {
    compiles((_, { setStatus }) => {
      // @ts-expect-error there are no fields
      setStatus({ foo: 1 });
      // @ts-expect-error nor in what a function returns
      setStatus(() => ({ foo: 1 }));
    });
  });

  it("rejects conditions, which are set by setCondition", () => {
    compiles(({ setStatus }, job) => {
      // @ts-expect-error conditions have a method of their own
      setStatus({ conditions: [{ type: "Ready", status: "True" }] });
      // @ts-expect-error also where there is nothing else
      job.setStatus({ conditions: [] });
    });
  });
});
