package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/hashicorp/yamux"
)

func yamuxConfig(o options) *yamux.Config {
	config := yamux.DefaultConfig()
	config.LogOutput = io.Discard
	if o.window > 0 {
		config.MaxStreamWindowSize = uint32(o.window)
	}
	return config
}

// yamuxServer accepts one tunnel and opens a stream for each connection on the entry.
func yamuxServer(o options) error {
	certificate, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return err
	}
	listener, err := tls.Listen("tcp", o.tunnel, &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return err
	}
	fmt.Println("listening")
	connection, err := listener.Accept()
	if err != nil {
		return err
	}
	session, err := yamux.Server(connection, yamuxConfig(o))
	if err != nil {
		return err
	}
	entry, err := net.Listen("tcp", o.entry)
	if err != nil {
		return err
	}
	for {
		accepted, err := entry.Accept()
		if err != nil {
			return err
		}
		go func() {
			stream, err := session.OpenStream()
			if err != nil {
				_ = accepted.Close()
				return
			}
			connect(stream, accepted.(*net.TCPConn))
		}()
	}
}

// yamuxClient connects each stream of the server with the target.
func yamuxClient(o options) error {
	authority, err := os.ReadFile(o.cert)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return fmt.Errorf("%s has no certificate", o.cert)
	}
	connection, err := tls.Dial("tcp", o.tunnel, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
	if err != nil {
		return err
	}
	session, err := yamux.Client(connection, yamuxConfig(o))
	if err != nil {
		return err
	}
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			return err
		}
		go func() {
			target, err := net.Dial("tcp", o.target)
			if err != nil {
				_ = stream.Close()
				return
			}
			connect(stream, target.(*net.TCPConn))
		}()
	}
}

// connect copies both directions until both have ended.
func connect(stream *yamux.Stream, socket *net.TCPConn) {
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(stream, socket)
		_ = stream.Close() // Ends this direction; the other stays open.
		close(done)
	}()
	_, _ = io.Copy(socket, stream)
	_ = socket.CloseWrite()
	<-done
	_ = socket.Close()
}
