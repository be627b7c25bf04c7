package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

type nameCase struct {
	In       string   `json:"in"`
	Problems []string `json:"problems,omitempty"`
}

var nameTexts = []string{
	"", "a", "A", "0", "-", "_", ".", "a-", "-a", "a.", ".a", "a_b", "a.b", "a..b", "a b", "a/b", "/b", "a/", "/", "a/b/c",
	"//", "A/b", "a.b/c", "a..b/c", ".a/b", "a./b", "-a/b", "a-/b", "a_b/c", "A.b/C", "example.com/MyName", "é", "é/a", "a/é",
	"a\n", "a\n/b", "a/b\n", "__proto__", "constructor", "a:b", "a@b", "a=b",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("é", 32), strings.Repeat("a", 62) + "-",
	strings.Repeat("a", 63) + "-", strings.Repeat("a", 253) + "/x", strings.Repeat("a", 254) + "/x",
	strings.Repeat("a.", 127) + "/" + strings.Repeat("b", 64), "x/" + strings.Repeat("b", 64), strings.Repeat("😀", 16),
}

func nameSections() []section {
	d := newDice(5)
	texts := append([]string{}, nameTexts...)
	for range 400 {
		texts = append(texts, d.word("aZ09-_./", 0, 6))
	}
	var keys, values []any
	for i, text := range once(texts) {
		// Error messages are long; for generated inputs a sample of the failing ones is enough.
		key := nameCase{In: text, Problems: validation.IsQualifiedName(text)}
		value := nameCase{In: text, Problems: validation.IsValidLabelValue(text)}
		if i < len(nameTexts) || len(key.Problems) == 0 || i%4 == 0 {
			keys = append(keys, key)
		}
		if i < len(nameTexts) || len(value.Problems) == 0 || i%4 == 0 {
			values = append(values, value)
		}
	}
	return []section{{"keys", keys}, {"values", values}}
}
