import type { EntryMatch } from "../table/route-table.ts";
import type { CaseRequest, EquivalenceCase, Feature } from "./case.ts";
import { condition, routedCase, toPr42 } from "./sample-routes.ts";

/** Builds cases for one set of conditions: requests that meet it and requests that do not. */
function cases(
  match: EntryMatch,
  features: readonly Feature[],
  requests: Readonly<Record<string, readonly [Partial<CaseRequest>, boolean]>>,
): EquivalenceCase[] {
  return Object.entries(requests).map(([name, [request, isMet]]) =>
    routedCase(name, features, [{ match }], request, isMet ? toPr42 : condition),
  );
}

const prefix: EntryMatch = { paths: [{ prefix: "/api/cart" }] };
const exact: EntryMatch = { paths: [{ exact: "/api/cart" }] };

const paths: readonly EquivalenceCase[] = [
  ...cases(prefix, ["path"], {
    "prefix: the path itself": [{ path: "/api/cart" }, true],
    "prefix: a segment below": [{ path: "/api/cart/1" }, true],
    "prefix: several segments below": [{ path: "/api/cart/1/items/2" }, true],
    "prefix: a slash at the end": [{ path: "/api/cart/" }, true],
    "prefix: with a query": [{ path: "/api/cart?id=1" }, true],
    "prefix: a segment below, with a query": [{ path: "/api/cart/1?x=/" }, true],
    "prefix: a longer last segment": [{ path: "/api/carts" }, false],
    "prefix: a last segment with a dash": [{ path: "/api/cart-v2" }, false],
    "prefix: the path above": [{ path: "/api" }, false],
    "prefix: the root": [{ path: "/" }, false],
    "prefix: in the middle of the path": [{ path: "/v1/api/cart" }, false],
    "prefix: in the query": [{ path: "/?next=/api/cart" }, false],
    "prefix: in upper case": [{ path: "/API/cart" }, false],
    "prefix: an encoded letter": [{ path: "/api/%63art" }, false],
  }),
  ...cases(prefix, ["path", "dot-segments"], {
    "dot segments: one dot": [{ path: "/api/./cart" }, true],
    "dot segments: two dots out of another path": [{ path: "/x/../api/cart" }, true],
    "dot segments: two dots out of the prefix": [{ path: "/api/cart/../orders" }, false],
    "dot segments: more dots than segments": [{ path: "/../../api/cart" }, true],
    "dot segments: at the end": [{ path: "/api/cart/x/.." }, true],
    "dot segments: three dots are a name": [{ path: "/api/.../cart" }, false],
    "dot segments: encoded dots are a name": [{ path: "/x/%2e%2e/api/cart" }, false],
    "dot segments: in the query only": [{ path: "/api/cart?x=/../" }, true],
  }),
  ...cases(prefix, ["path", "ambiguous-path"], {
    "ambiguous path: encoded slash": [{ path: "/api/cart/a%2Fb" }, false],
    "ambiguous path: encoded slash in lower case": [{ path: "/api%2fcart" }, false],
    "ambiguous path: encoded NUL": [{ path: "/api/cart/%00" }, false],
    "ambiguous path: encoded slash in the query": [{ path: "/api/cart?next=%2F" }, true],
  }),
  ...cases(exact, ["path"], {
    "exact: the path itself": [{ path: "/api/cart" }, true],
    "exact: with a query": [{ path: "/api/cart?id=1" }, true],
    "exact: a slash at the end": [{ path: "/api/cart/" }, false],
    "exact: a segment below": [{ path: "/api/cart/1" }, false],
    "exact: the path above": [{ path: "/api" }, false],
  }),
  ...cases({ paths: [{ prefix: "/" }] }, ["path"], {
    "prefix of one slash: the root": [{ path: "/" }, true],
    "prefix of one slash: any path": [{ path: "/orders/1" }, true],
  }),
  ...cases({ paths: [{ prefix: "/api/" }] }, ["path"], {
    "prefix with a slash at the end: without it": [{ path: "/api" }, true],
    "prefix with a slash at the end: a segment below": [{ path: "/api/x" }, true],
    "prefix with a slash at the end: a longer segment": [{ path: "/apis" }, false],
  }),
  ...cases({ paths: [{ exact: "/health" }, { prefix: "/api" }] }, ["path"], {
    "two paths: the first": [{ path: "/health" }, true],
    "two paths: the second": [{ path: "/api/x" }, true],
    "two paths: neither": [{ path: "/health/x" }, false],
  }),
  ...cases({ paths: [] }, [], { "no paths: any path": [{ path: "/anything" }, true] }),
];

const methods: readonly EquivalenceCase[] = [
  ...cases({ methods: ["POST"] }, ["method"], {
    "method: the same": [{ method: "POST" }, true],
    "method: another": [{ method: "GET" }, false],
    "method: longer": [{ method: "POSTS" }, false],
  }),
  ...cases({ methods: ["GET", "HEAD"] }, ["method"], {
    "two methods: the first": [{ method: "GET" }, true],
    "two methods: the second": [{ method: "HEAD" }, true],
    "two methods: neither": [{ method: "DELETE" }, false],
  }),
  ...cases({ methods: [] }, [], { "no methods: any method": [{ method: "PATCH" }, true] }),
];

const team: EntryMatch = { headers: [{ name: "x-team", value: "blue" }] };
const headers: readonly EquivalenceCase[] = [
  ...cases(team, ["header-condition"], {
    "header: the same value": [{ headers: [["x-team", "blue"]] }, true],
    "header: name in another case": [{ headers: [["X-Team", "blue"]] }, true],
    "header: another value": [{ headers: [["x-team", "red"]] }, false],
    "header: value in another case": [{ headers: [["x-team", "Blue"]] }, false],
    "header: longer value": [{ headers: [["x-team", "blueish"]] }, false],
    "header: absent": [{}, false],
    "header: empty": [{ headers: [["x-team", ""]] }, false],
  }),
  ...cases(team, ["header-condition", "repeated-header"], {
    "header: twice": [
      {
        headers: [
          ["x-team", "blue"],
          ["x-team", "red"],
        ],
      },
      false,
    ],
  }),
  ...cases(
    {
      headers: [
        { name: "x-team", value: "blue" },
        { name: "X-Beta", value: "1" },
      ],
    },
    ["header-condition"],
    {
      "two headers: both": [
        {
          headers: [
            ["x-beta", "1"],
            ["x-team", "blue"],
          ],
        },
        true,
      ],
      "two headers: only the first": [{ headers: [["x-team", "blue"]] }, false],
      "two headers: only the second": [{ headers: [["x-beta", "1"]] }, false],
    },
  ),
];

const all: EntryMatch = { ...prefix, methods: ["POST"], ...team };
const combined: readonly EquivalenceCase[] = cases(all, ["path", "method", "header-condition"], {
  "path, method and header: all": [{ path: "/api/cart", method: "POST", headers: [["x-team", "blue"]] }, true],
  "path, method and header: another path": [{ path: "/api", method: "POST", headers: [["x-team", "blue"]] }, false],
  "path, method and header: another method": [
    { path: "/api/cart", method: "GET", headers: [["x-team", "blue"]] },
    false,
  ],
  "path, method and header: another header": [
    { path: "/api/cart", method: "POST", headers: [["x-team", "red"]] },
    false,
  ],
});

/** Cases about conditions of routes. */
export const conditionCases: readonly EquivalenceCase[] = [...paths, ...methods, ...headers, ...combined];
