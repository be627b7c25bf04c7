// Command grpc is a server and a client of gRPC. The server prints its port; the client sends calls of every kind through a proxy and prints
// a line for each kind that works.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const service = "shop.Cart"

type message = wrapperspb.BytesValue

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "server":
		err = serve(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "client":
		err = call(os.Args[2], os.Args[3], os.Args[4])
	default:
		err = errors.New("usage: grpc server NAME | grpc client ADDRESS KEY EXPECTED-NAME")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Server

type cart struct {
	name      string
	cancelled atomic.Int64
}

func serve(name string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c := &cart{name: name}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(16 << 20))
	unary := func(method string, handle func(context.Context, *message) (*message, error)) grpc.MethodDesc {
		return grpc.MethodDesc{MethodName: method, Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := new(message)
			if err := decode(in); err != nil {
				return nil, err
			}
			return handle(ctx, in)
		}}
	}
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{unary("Echo", c.echo), unary("Fail", c.fail), unary("Wait", c.wait), unary("Cancelled", c.count)},
		Streams: []grpc.StreamDesc{
			{StreamName: "List", Handler: c.list, ServerStreams: true},
			{StreamName: "Chat", Handler: c.chat, ServerStreams: true, ClientStreams: true},
		},
	}, c)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
}

func (c *cart) echo(ctx context.Context, in *message) (*message, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	grpc.SetHeader(ctx, metadata.Pairs("x-server", c.name, "x-seen-bin", first(md, "x-sent-bin")))
	grpc.SetTrailer(ctx, metadata.Pairs("x-trailer", c.name))
	return in, nil
}

func (c *cart) fail(ctx context.Context, in *message) (*message, error) {
	return nil, status.Error(codes.FailedPrecondition, string(in.Value)+" ü")
}

func (c *cart) wait(ctx context.Context, in *message) (*message, error) {
	<-ctx.Done()
	c.cancelled.Add(1)
	return nil, ctx.Err()
}

func (c *cart) count(ctx context.Context, in *message) (*message, error) {
	return wrapperspb.Bytes([]byte(strconv.FormatInt(c.cancelled.Load(), 10))), nil
}

func (c *cart) list(_ any, stream grpc.ServerStream) error {
	in := new(message)
	if err := stream.RecvMsg(in); err != nil {
		return err
	}
	count, _ := strconv.Atoi(string(in.Value))
	for n := range count {
		if err := stream.SendMsg(wrapperspb.Bytes([]byte(strconv.Itoa(n)))); err != nil {
			return err
		}
	}
	stream.SetTrailer(metadata.Pairs("x-count", strconv.Itoa(count)))
	return nil
}

func (c *cart) chat(_ any, stream grpc.ServerStream) error {
	for {
		in := new(message)
		if err := stream.RecvMsg(in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(in); err != nil {
			return err
		}
	}
}

// Client

type client struct {
	*grpc.ClientConn
	expected string
}

func call(address, key, expected string) error {
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "x-routing-key", key)
	}
	c := &client{ClientConn: connection, expected: expected}
	checks := []struct {
		name string
		run  func(context.Context) error
	}{
		{"unary", c.unary},
		{"large messages", c.large},
		{"1,000 concurrent calls", c.concurrent},
		{"error with trailers only", c.failure},
		{"unknown method", c.unknown},
		{"server stream", c.serverStream},
		{"bidirectional stream", c.bidirectional},
		{"deadline", c.deadline},
		{"cancellation", c.cancellation},
	}
	for _, check := range checks {
		if err := check.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", check.name, err)
		}
		fmt.Println(check.name)
	}
	return nil
}

func (c *client) unary(ctx context.Context) error {
	return c.echo(ctx, []byte("hello"))
}

func (c *client) large(ctx context.Context) error {
	return c.echo(ctx, bytes.Repeat([]byte("0123456789abcdef"), 1<<19))
}

func (c *client) echo(ctx context.Context, body []byte) error {
	var header, trailer metadata.MD
	out := new(message)
	ctx = metadata.AppendToOutgoingContext(ctx, "x-sent-bin", "\x00\xff")
	if err := c.Invoke(ctx, "/"+service+"/Echo", wrapperspb.Bytes(body), out, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
		return err
	}
	if !bytes.Equal(out.Value, body) {
		return fmt.Errorf("received %d bytes instead of %d", len(out.Value), len(body))
	}
	if first(header, "x-server") != c.expected || first(trailer, "x-trailer") != c.expected || first(header, "x-seen-bin") != "\x00\xff" {
		return fmt.Errorf("header %v, trailer %v", header, trailer)
	}
	return nil
}

func (c *client) concurrent(ctx context.Context) error {
	var group sync.WaitGroup
	failures := make(chan error, 1000)
	for worker := range 50 {
		group.Go(func() {
			for n := range 20 {
				if err := c.echo(ctx, bytes.Repeat([]byte{byte(worker)}, n*1000)); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func (c *client) failure(ctx context.Context) error {
	err := c.Invoke(ctx, "/"+service+"/Fail", wrapperspb.Bytes([]byte("no stock")), new(message))
	if status.Code(err) != codes.FailedPrecondition || status.Convert(err).Message() != "no stock ü" {
		return fmt.Errorf("unexpected result: %v", err)
	}
	return nil
}

func (c *client) unknown(ctx context.Context) error {
	if err := c.Invoke(ctx, "/"+service+"/Nothing", new(message), new(message)); status.Code(err) != codes.Unimplemented {
		return fmt.Errorf("unexpected result: %v", err)
	}
	return nil
}

func (c *client) serverStream(ctx context.Context) error {
	const count = 5000
	stream, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+service+"/List")
	if err != nil {
		return err
	}
	if err := errors.Join(stream.SendMsg(wrapperspb.Bytes([]byte(strconv.Itoa(count)))), stream.CloseSend()); err != nil {
		return err
	}
	for n := 0; ; n++ {
		out := new(message)
		if err := stream.RecvMsg(out); err == io.EOF {
			if n != count || first(stream.Trailer(), "x-count") != strconv.Itoa(count) {
				return fmt.Errorf("%d messages, trailer %v", n, stream.Trailer())
			}
			return nil
		} else if err != nil {
			return err
		}
		if string(out.Value) != strconv.Itoa(n) {
			return fmt.Errorf("message %d is %q", n, out.Value)
		}
	}
}

func (c *client) bidirectional(ctx context.Context) error {
	stream, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+service+"/Chat")
	if err != nil {
		return err
	}
	for n := range 200 {
		out := new(message)
		if err := errors.Join(stream.SendMsg(wrapperspb.Bytes([]byte(strconv.Itoa(n)))), stream.RecvMsg(out)); err != nil {
			return err
		}
		if string(out.Value) != strconv.Itoa(n) {
			return fmt.Errorf("message %d is %q", n, out.Value)
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if err := stream.RecvMsg(new(message)); err != io.EOF {
		return fmt.Errorf("the stream ended with %v", err)
	}
	return nil
}

func (c *client) deadline(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	err := c.Invoke(ctx, "/"+service+"/Wait", new(message), new(message))
	// The server and the proxy know the deadline as well: whichever is first, the client hears of nothing else.
	if status.Code(err) != codes.DeadlineExceeded {
		return fmt.Errorf("unexpected result: %v", err)
	}
	return nil
}

// cancellation checks that the server learns of a call that the client cancels; the one of deadline counts as well.
func (c *client) cancellation(ctx context.Context) error {
	waiting, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := c.Invoke(waiting, "/"+service+"/Wait", new(message), new(message)); status.Code(err) != codes.Canceled {
		return fmt.Errorf("unexpected result: %v", err)
	}
	for {
		out := new(message)
		if err := c.Invoke(ctx, "/"+service+"/Cancelled", new(message), out); err != nil {
			return err
		}
		if n, _ := strconv.Atoi(string(out.Value)); n >= 2 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func first(md metadata.MD, key string) string {
	if values := md.Get(key); len(values) > 0 {
		return values[0]
	}
	return ""
}
