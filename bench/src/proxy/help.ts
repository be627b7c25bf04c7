/** Help text of the benchmark of proxies. */
export const proxyHelp = `npm run bench -- proxy [options]
  CPU time per request, latency and memory of the routing proxy on Node 24 and Node 20, beside HAProxy, nginx and Envoy.
  All of them take turns. HAProxy and nginx must be on the PATH; Envoy and Node 24 are installed into the cache. Exits with 1
  if a goal is missed that must be reached.

  --only=PARTS        comma-separated parts: small, calls, large, keys, latency, idle, mixed (default: all)
  --rounds=NUMBER     rounds, in which all proxies take turns (default 7)
  --scale=NUMBER      factor for the number of requests per round (default 1)
  --connections=NUMBER idle connections (default 10000; the limit of open files bounds it)
  --minutes=NUMBER    duration of the mixed load (default 1)
  --check             compare capacities and memory with the recorded ones, and exit with 1 if one is worse by more than 10 %;
                      parts by default: small, calls, large, keys
  --record            write the results into docs/reference/proxy-performance.md`;
