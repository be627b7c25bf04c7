import assert from "node:assert/strict";
import { ClientRequest } from "node:http";
import { describe, it } from "node:test";
import { awaitResponse } from "./await-response.ts";

describe("awaitResponse", () => {
  it("accepts 16 interim responses and fails at the next one", () => {
    const sending = new ClientRequest({ createConnection: () => undefined, agent: false });
    const failures: Error[] = [];
    awaitResponse(sending, { response: () => undefined, failure: (error) => failures.push(error) });

    for (let count = 1; count <= 16; count += 1) sending.emit("information", {});
    const accepted = failures.length;
    sending.emit("information", {});

    assert.deepEqual([accepted, failures.length], [0, 1]);
    sending.destroy();
  });
});
