import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cartTable } from "../testing/tables.ts";
import { SnapshotFile } from "./snapshot-file.ts";
import { TableStore } from "./table-store.ts";

async function withFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-snapshot-"));
  try {
    await run(join(folder, "routes", "tables.json"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function storeWithCart(): TableStore {
  const store = new TableStore();
  store.begin();
  store.apply({ op: "CONFIG", routing: { explicitHeaders: ["x-lane"] } });
  store.apply({ op: "ADD", version: undefined, table: cartTable() });
  return store;
}

describe("SnapshotFile", () => {
  it("restores tables and settings in another process", async () => {
    await withFolder(async (path) => {
      await new SnapshotFile(path).write(storeWithCart().state);
      const store = new TableStore();

      assert.equal(await new SnapshotFile(path).restore(store), true);

      assert.deepEqual(store.state.tables.get("shop/cart")?.table, cartTable());
      assert.deepEqual(store.state.settings.explicitHeaders, ["x-lane"]);
      assert.equal(store.isSynced, false);
    });
  });

  it("writes the latest of several states and leaves no other file", async () => {
    await withFolder(async (path) => {
      const file = new SnapshotFile(path);
      const store = storeWithCart();
      const first = file.write(store.state);
      store.apply({ op: "REPLACE", version: undefined, table: cartTable({ version: "v2" }) });
      const second = file.write(store.state);
      store.apply({ op: "REPLACE", version: undefined, table: cartTable({ version: "v3" }) });

      await Promise.all([first, second, file.write(store.state)]);

      assert.match(await readFile(path, "utf8"), /"version":"v3"/);
      assert.deepEqual(await readdir(join(path, "..")), ["tables.json"]);
    });
  });

  it("restores nothing without a usable file", async () => {
    await withFolder(async (path) => {
      const file = new SnapshotFile(path);
      const store = new TableStore();

      assert.equal(await file.restore(store), false);
      await file.write(storeWithCart().state);
      for (const text of ["", "{", "[]", '{"format":2,"tables":[]}', '{"format":1,"tables":{}}']) {
        await writeFile(path, text);

        assert.equal(await file.restore(store), false, text);
      }
      assert.equal(store.state.tables.size, 0);
    });
  });
});
