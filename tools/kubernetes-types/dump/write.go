package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"
)

// Values deeper than this are written on one line: one line per field of a type, which is easy to read and to diff.
const expandedDepth = 4

// writeJSON prints maps with sorted keys and lists one entry per line, deeper values on one line each.
func writeJSON(out *bufio.Writer, value any, depth int) {
	indent := "\n" + strings.Repeat(" ", depth+1)
	switch v := reflect.ValueOf(value); {
	case depth < expandedDepth && v.Kind() == reflect.Map && v.Len() > 0:
		keys := make([]string, 0, v.Len())
		for _, key := range v.MapKeys() {
			keys = append(keys, key.String())
		}
		sort.Strings(keys)
		out.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(indent)
			out.Write(compact(key))
			out.WriteString(": ")
			writeJSON(out, v.MapIndex(reflect.ValueOf(key)).Interface(), depth+1)
		}
		out.WriteString(indent[:len(indent)-1] + "}")
	case depth < 2 && v.Kind() == reflect.Slice && v.Len() > 0:
		out.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(indent)
			out.Write(compact(v.Index(i).Interface()))
		}
		out.WriteString(indent[:len(indent)-1] + "]")
	default:
		out.Write(compact(value))
	}
}

func compact(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimRight(buffer.Bytes(), "\n")
}
