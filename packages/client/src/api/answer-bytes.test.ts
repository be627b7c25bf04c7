import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { widget, Widget } from "../fixtures/kinds.fixture.test.ts";
import { open, serve } from "../fixtures/servers.fixture.test.ts";
import { answerBytes } from "./answer-bytes.ts";
import { Client } from "./client.ts";

describe("answerBytes", () => {
  it("gives what the answer to a write was read from, and nothing for any other object", async () => {
    const answer = `${JSON.stringify({ ...widget(), status: { text: "gr\u00fc\u00df" } })}\n`;
    const server = await serve((_, response) => response.end(answer));
    const client = new Client(open(server));

    const created = await client.create(Widget, widget());
    const read = await client.get(Widget, { namespace: "default", name: "web" });

    assert.equal(answerBytes(created)?.toString(), answer);
    assert.equal(answerBytes(read ?? {}), undefined);
    assert.equal(answerBytes(structuredClone(created)), undefined);
  });
});
