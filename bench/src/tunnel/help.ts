/** Help text of the benchmark of tunnels. */
export const tunnelHelp = `npm run bench -- tunnel [options]
  CPU time per GB, latency and memory of the tunnel on Node 24 and Node 20, beside Go's yamux over TLS and chisel. All of them
  take turns. Go builds the others the first time; Node 24 is installed into the cache. Exits with 1 if a goal is missed that
  must be reached.

  --only=PARTS        comma-separated parts: transfer, far, small, stalled, attached (default: all)
  --rounds=NUMBER     rounds, in which all tunnels take turns (default 7)
  --tunnels=NUMBER    machines that are attached to one server (default 1000)
  --record            write the results into docs/reference/tunnel-performance.md`;
