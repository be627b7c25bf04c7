// Two tunnels beside which `npm run bench -- tunnel` measures its own: yamux over TLS, and chisel.
//
//	tunnel yamux-server  --tunnel ADDRESS --entry ADDRESS --cert FILE --key FILE [--window BYTES]
//	tunnel yamux-client  --tunnel ADDRESS --target ADDRESS --cert FILE [--window BYTES]
//	tunnel chisel-server --tunnel ADDRESS
//	tunnel chisel-client --tunnel ADDRESS --entry ADDRESS --target ADDRESS
//
// The server accepts connections on the entry, the client connects each of them with the target. The program exits when its standard input ends.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	chclient "github.com/jpillora/chisel/client"
	chserver "github.com/jpillora/chisel/server"
)

// options are the flags of all four roles.
type options struct {
	tunnel, entry, target, cert, key string
	window                           uint
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: tunnel yamux-server|yamux-client|chisel-server|chisel-client [flags]"))
	}
	var o options
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&o.tunnel, "tunnel", "", "address of the tunnel server")
	flags.StringVar(&o.entry, "entry", "", "address for connections into the tunnel")
	flags.StringVar(&o.target, "target", "", "address behind the client")
	flags.StringVar(&o.cert, "cert", "", "certificate of the server")
	flags.StringVar(&o.key, "key", "", "key of the server")
	flags.UintVar(&o.window, "window", 0, "window of a stream in bytes; 0 for the default of yamux")
	_ = flags.Parse(os.Args[2:])
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	roles := map[string]func(options) error{
		"yamux-server": yamuxServer, "yamux-client": yamuxClient, "chisel-server": chiselServer, "chisel-client": chiselClient,
	}
	role, known := roles[os.Args[1]]
	if !known {
		fail(fmt.Errorf("unknown role %q", os.Args[1]))
	}
	if err := role(o); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func chiselServer(o options) error {
	server, err := chserver.NewServer(&chserver.Config{Reverse: true})
	if err != nil {
		return err
	}
	server.Info, server.Debug = false, false
	host, port, err := net.SplitHostPort(o.tunnel)
	if err != nil {
		return err
	}
	if err := server.StartContext(context.Background(), host, port); err != nil {
		return err
	}
	return server.Wait()
}

func chiselClient(o options) error {
	client, err := chclient.NewClient(&chclient.Config{Server: "http://" + o.tunnel, Remotes: []string{"R:" + o.entry + ":" + o.target}})
	if err != nil {
		return err
	}
	client.Info, client.Debug = false, false
	if err := client.Start(context.Background()); err != nil {
		return err
	}
	return client.Wait()
}
