package main

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// render writes a value in one canonical way that both this program and the test that reads the vectors can produce:
// 1, 1u, 1.5d, "text", b"ff00", [..], {key:value} in the order of the keys' text, duration in nanoseconds, timestamp in
// RFC 3339, optional(..), and type(..) and the Kubernetes types by name.
func render(value ref.Val) (string, error) {
	switch v := value.(type) {
	case types.Int:
		return fmt.Sprint(int64(v)), nil
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v)), nil
	case types.Bool:
		return fmt.Sprint(bool(v)), nil
	case types.Null:
		return "null", nil
	case types.Double:
		return renderDouble(float64(v)), nil
	case types.String:
		return quote(string(v)), nil
	case types.Bytes:
		return fmt.Sprintf("b\"%x\"", []byte(v)), nil
	case types.Duration:
		return fmt.Sprintf("duration(%d)", v.Duration.Nanoseconds()), nil
	case types.Timestamp:
		return fmt.Sprintf("timestamp(%s)", v.Time.UTC().Format("2006-01-02T15:04:05.999999999Z07:00")), nil
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none", nil
		}
		inner, err := render(v.GetValue())
		return "optional(" + inner + ")", err
	case *types.Type:
		return "type(" + v.TypeName() + ")", nil
	case apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")", nil
	case *apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")", nil
	case apiservercel.URL:
		return "url(" + quote(v.URL.String()) + ")", nil
	case apiservercel.IP:
		return "ip(" + v.Addr.String() + ")", nil
	case apiservercel.CIDR:
		return "cidr(" + v.Prefix.String() + ")", nil
	case apiservercel.Semver:
		return "semver(" + v.Version.String() + ")", nil
	case apiservercel.Format:
		return "format(" + v.Name + ")", nil
	case traits.Lister:
		return renderList(v)
	case traits.Mapper:
		return renderMap(v)
	}
	return "", fmt.Errorf("no rendering for %T", value)
}

func renderList(list traits.Lister) (string, error) {
	var parts []string
	for it := list.Iterator(); it.HasNext() == types.True; {
		part, err := render(it.Next())
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return "[" + strings.Join(parts, ",") + "]", nil
}

func renderMap(mapper traits.Mapper) (string, error) {
	var parts []string
	for it := mapper.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		keyText, err := render(key)
		if err != nil {
			return "", err
		}
		valueText, err := render(mapper.Get(key))
		if err != nil {
			return "", err
		}
		parts = append(parts, keyText+":"+valueText)
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ",") + "}", nil
}

// renderDouble formats a number as JavaScript does; encoding/json follows the same rules for finite numbers.
func renderDouble(value float64) string {
	switch {
	case math.IsNaN(value):
		return "NaNd"
	case math.IsInf(value, 1):
		return "Infinityd"
	case math.IsInf(value, -1):
		return "-Infinityd"
	}
	text, _ := json.Marshal(value)
	return string(text) + "d"
}

func quote(text string) string {
	quoted, _ := marshal(text)
	return quoted
}
