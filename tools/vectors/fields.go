package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/fields"
)

type fieldCase struct {
	In    string `json:"in"`
	Error bool   `json:"error,omitempty"`
	Text  string `json:"text"`
	// Matches has a 1 for each field set of the file that the selector matches, in order.
	Matches string `json:"matches,omitempty"`
}

var fieldSets = []fields.Set{
	{},
	{"metadata.name": "web"},
	{"metadata.name": "web", "metadata.namespace": "default"},
	{"metadata.name": "a,b", "spec.nodeName": "x=y"},
	{"metadata.name": `a\b`, "status.phase": "Running"},
	{"": "x", "metadata.name": "!web"},
	{"status.phase": "", "spec.nodeName": "node 1"},
	{"__proto__x": "1", "constructor": "c", "a": "b"},
	{"a": "é😀", "b": "\uff5e", "metadata.name": "db"},
}

var fieldTexts = []string{
	"", " ", ",", ",,", "=", "==", "!=", "=x", "!=x", "a=", "a!=", "a==", "=,=", "=x,=", "metadata.name=web",
	"metadata.name==web", "metadata.name!=web", "metadata.name = web", " metadata.name=web", "metadata.name=web,",
	",metadata.name=web", "metadata.name=web,,status.phase=Running", "status.phase=Running,metadata.name=web",
	"metadata.name=web,metadata.name=web", "metadata.name=web,metadata.name!=web", "metadata.name=!web",
	"metadata.name", "metadata.name!web", "metadata.name>5", "metadata.name in (a)", "!metadata.name", "a=b=c", "a==b=c",
	"a===b", "a=!=b", "a!==b", "a!=b=c", "a=b!=c", `a=b\=c`, `metadata.name=a\,b`, `metadata.name=a\\b`, `a=\`, `a=b\`,
	`a=\x`, `a=\\`, `a=\\\`, `a=\\\\`, `a=\,`, `a=\=`, `a=\,\=\\`, `a\,b=c`, `a\=b`, `a\`, `\`, `\\`, `\=x`, `a\\,b=c`,
	`a=b\,`, `a=b\,c=d`, `a=b\\,c=d`, "b=1,a=1", "a=2,a=1", "a!=1,a=1,a==1", "a=é😀", "a=\uff5e,a=😀", "é=1,😀=2,\uff5e=3",
	"constructor=c", "__proto__=1", "toString!=x", "a=\x00", "a= ", "a=b c",
}

func fieldSections() []section {
	var sets, texts []any
	for _, set := range fieldSets {
		sets = append(sets, set)
	}
	for _, text := range once(append(append([]string{}, fieldTexts...), randomFieldSelectors(1500)...)) {
		texts = append(texts, parseFields(text))
	}
	return []section{{"fields", sets}, {"texts", texts}}
}

func parseFields(text string) fieldCase {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return fieldCase{In: text, Error: true}
	}
	var matches strings.Builder
	for _, set := range fieldSets {
		matches.WriteString(bit(selector.Matches(set)))
	}
	return fieldCase{In: text, Text: selector.String(), Matches: matches.String()}
}

func randomFieldSelectors(count int) []string {
	d := newDice(4)
	names := []string{"metadata.name", "metadata.namespace", "status.phase", "spec.nodeName", "a", "b", "", "constructor"}
	values := []string{"web", "db", "default", "Running", "", "a,b", "x=y", `a\b`, "!web", "node 1", "é😀", "\uff5e", "x"}
	out := make([]string, 0, count)
	for range count {
		parts := make([]string, 0, 4)
		for range 1 + d.below(4) {
			value := pick(d, values)
			if !d.oneIn(8) {
				value = fields.EscapeValue(value)
			}
			parts = append(parts, pick(d, names)+pick(d, []string{"=", "=", "==", "!="})+value)
		}
		text := strings.Join(parts, ",")
		if d.oneIn(3) {
			text = d.damage(text, `=!,\ ab`)
		}
		out = append(out, text)
	}
	return out
}
