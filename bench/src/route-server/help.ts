export const routeServerHelp = `Usage: npm run bench -- route-server [--check] [--record]   the route server of sandbox environments with many proxies

  Runs one replica as a process beside an embedded API server, with 1,000 tables and 100 proxies that confirm every change. Prints the time from
  a write at the API server until the last proxy has received it, and the memory of the replica.

  --check           fails when the 99th percentile is above 1 s or memory is above 200 MB
  --record          writes the result to docs/reference/route-server-performance.md`;
