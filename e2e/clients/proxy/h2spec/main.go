// Command h2spec runs the conformance tests of HTTP/2 against a server without TLS, and prints a line of JSON for each test on standard error.
// Standard output has the usual report.
package main

import (
	"encoding/json"
	"os"
	"strconv"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

type result struct {
	ID      string `json:"id"`
	What    string `json:"what"`
	Outcome string `json:"outcome"`
	Actual  string `json:"actual,omitempty"`
}

func main() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	c := &config.Config{
		Host:         "127.0.0.1",
		Port:         port,
		Path:         "/",
		Timeout:      2 * time.Second,
		MaxHeaderLen: 4000,
		Strict:       true,
		Sections:     os.Args[2:],
	}
	for _, group := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		group.Test(c)
		print(group)
	}
}

func print(group *spec.TestGroup) {
	for _, tests := range [][]*spec.TestCase{group.Tests, group.StrictTests} {
		for n, test := range tests {
			if test.Result == nil {
				continue
			}
			r := result{ID: group.ID() + "/" + strconv.Itoa(n+1), What: test.Desc, Outcome: "passed"}
			if test.Strict {
				r.ID = group.ID() + "/strict-" + strconv.Itoa(n+1)
			}
			if test.Result.Skipped {
				r.Outcome = "skipped"
			}
			if test.Result.Failed {
				r.Outcome = "failed"
				r.Actual = test.Result.Error.Error()
				if failure, is := test.Result.Error.(*spec.TestError); is {
					r.Actual = failure.Actual
				}
			}
			json.NewEncoder(os.Stderr).Encode(r)
		}
	}
	for _, each := range group.Groups {
		print(each)
	}
}
