// Package transcript prints what a program observes of a cluster, without what differs between clusters.
package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Transcript is the list of observations of a program, in order.
type Transcript struct {
	mu  sync.Mutex
	out io.Writer
}

// New returns a transcript on standard output.
func New() *Transcript { return &Transcript{out: os.Stdout} }

var (
	uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// Some errors about pods of the real server contain a diff of its internal Go structs.
	difference = regexp.MustCompile(`(?s)\n@@ .*\n( \{"name")`)
	escaped    = regexp.MustCompile(`\\n@@ .*?(","field")`)
	when       = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// Plain removes what differs between runs from a text.
func Plain(text string) string {
	text = escaped.ReplaceAllString(difference.ReplaceAllString(text, "$1"), "$1")
	return when.ReplaceAllString(uid.ReplaceAllString(text, "UID"), "TIME")
}

// Section starts a part of the transcript.
func (t *Transcript) Section(name string) { t.Line("== " + name) }

// Line writes one line.
func (t *Transcript) Line(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t.out, Plain(fmt.Sprintf(format, args...)))
}

// Object writes an object without what differs between runs.
func (t *Transcript) Object(label string, object any) {
	raw, err := json.Marshal(object)
	if err != nil {
		t.Line("%s: cannot be written: %v", label, err)
		return
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Line("%s: cannot be read: %v", label, err)
		return
	}
	clean, _ := json.Marshal(without(value))
	t.Line("%s: %s", label, clean)
}

// Error writes an API error, or that there was none.
func (t *Transcript) Error(label string, err error) {
	if err == nil {
		t.Line("%s: no error", label)
		return
	}
	if status, ok := err.(apierrors.APIStatus); ok {
		s := status.Status()
		details, _ := json.Marshal(s.Details)
		t.Line("%s: %d %s: %s %s", label, s.Code, s.Reason, s.Message, details)
		return
	}
	t.Line("%s: %v", label, err)
}

// Must ends the program on an unexpected error.
func Must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "failed: %v\n", err)
		os.Exit(1)
	}
}

// without removes resource versions and random suffixes of names.
func without(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		if managed, ok := v["managedFields"].([]any); ok {
			// The server orders managed fields by time, to the second.
			slices.SortStableFunc(managed, func(a, b any) int {
				return strings.Compare(a.(map[string]any)["manager"].(string), b.(map[string]any)["manager"].(string))
			})
		}
		for key, each := range v {
			if key == "resourceVersion" || (key == "selfLink" && each == "") {
				continue
			}
			out[key] = without(each)
		}
		if base, ok := v["generateName"].(string); ok {
			if name, ok := v["name"].(string); ok && strings.HasPrefix(name, base) {
				out["name"] = base + "?"
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, each := range v {
			out[i] = without(each)
		}
		return out
	default:
		return v
	}
}
