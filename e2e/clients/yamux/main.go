// The other end of a tunnel, with the yamux implementation of HashiCorp.
//
//	yamux serve           accepts one connection on a port that it prints, and sends the data of each stream back
//	yamux connect ADDRESS opens streams to a peer that sends data back, and checks the data
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	streams  = 40
	bytesMax = 900_000
)

// result is the last line of output of `connect`.
type result struct {
	Streams int     `json:"streams"`
	Bytes   int     `json:"bytes"`
	RTTms   float64 `json:"rttMs"`
	Error   string  `json:"error,omitempty"`
}

func main() {
	config := yamux.DefaultConfig()
	// Window updates for streams that have just ended are normal, and would be logged as warnings.
	config.LogOutput = io.Discard
	config.KeepAliveInterval = time.Second
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		err = serve(config)
	case len(os.Args) == 3 && os.Args[1] == "connect":
		err = connect(config, os.Args[2])
	default:
		err = fmt.Errorf("usage: yamux serve | yamux connect ADDRESS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(config *yamux.Config) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	connection, err := listener.Accept()
	if err != nil {
		return err
	}
	session, err := yamux.Server(connection, config)
	if err != nil {
		return err
	}
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			return nil // The peer has closed the session.
		}
		go func() {
			defer stream.Close()
			_, _ = io.Copy(stream, stream)
		}()
	}
}

func connect(config *yamux.Config, address string) error {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	session, err := yamux.Client(connection, config)
	if err != nil {
		return err
	}
	rtt, err := session.Ping()
	if err != nil {
		return err
	}
	seen := result{RTTms: float64(rtt.Microseconds()) / 1000}
	var group sync.WaitGroup
	var lock sync.Mutex
	for index := range streams {
		group.Add(1)
		go func() {
			defer group.Done()
			sent, err := exchange(session, int64(index))
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				seen.Error = fmt.Sprintf("stream %d: %v", index, err)
				return
			}
			seen.Streams++
			seen.Bytes += sent
		}()
	}
	group.Wait()
	_ = session.GoAway() // Fails if the peer has closed the connection before the call returns.
	_ = session.Close()
	return json.NewEncoder(os.Stdout).Encode(seen)
}

// exchange sends random data, ends its direction, and compares what comes back.
func exchange(session *yamux.Session, seed int64) (int, error) {
	stream, err := session.OpenStream()
	if err != nil {
		return 0, err
	}
	random := rand.New(rand.NewSource(seed))
	data := make([]byte, random.Intn(bytesMax))
	_, _ = random.Read(data)
	go func() {
		for rest := data; len(rest) > 0; {
			count := min(len(rest), 1+random.Intn(100_000))
			if _, err := stream.Write(rest[:count]); err != nil {
				return
			}
			rest = rest[count:]
		}
		_ = stream.Close() // Ends this direction; the other stays open.
	}()
	received, err := io.ReadAll(stream)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(received, data) {
		return 0, fmt.Errorf("sent %d bytes, received %d others", len(data), len(received))
	}
	return len(data), nil
}
