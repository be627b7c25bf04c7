package main

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	sigsjson "sigs.k8s.io/json"
)

type textCase struct {
	In string `json:"in,omitempty"`
	// Bytes replaces In if the input is not valid UTF-8.
	Bytes string `json:"bytes,omitempty"`
	Error string `json:"error,omitempty"`
	// Repeated lists the strict decoding errors for duplicate keys, if the text is an object.
	Repeated []string `json:"repeated,omitempty"`
	JSON     string   `json:"json,omitempty"`
}

func textSections() []section {
	chance := &source{state: 11}
	texts := append([]string{}, fixedTexts...)
	seeds := []string{
		`{"a":[1,2.5,-3e10,true,false,null,"x\u0041\n"],"b":{"c":{}}}`, `[{"k":"v"},[],[[]],"\ud83d\ude00"]`, `{"a":1,"a":2,"b":{"x":1,"x":[{"y":1,"y":2}]}}`,
		`12345678901234567890`, `"plain"`, `  { "spaced" : [ 1 , 2 ] }  `, `-0.5e-7`, `9007199254740993`, `tru`, `"ü世🎉"`,
	}
	pieces := []string{"{", "}", "[", "]", ",", ":", "\"", "\\", "u", "0", "-", ".", "e", "+", "t", "null", "\x00", "\x1f", "\x7f", "ü", "\xff", "\xe2\x82", " ", "\n", "\\ud800", "'", "/", "a"}
	for range 900 {
		text := pick(chance, seeds...)
		for range 1 + chance.int(3) {
			at := chance.int(len(text) + 1)
			end := min(len(text), at+chance.int(3))
			text = text[:at] + pick(chance, pieces...) + text[end:]
		}
		texts = append(texts, text)
	}
	var cases []any
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			cases = append(cases, textOne(text))
		}
	}
	return []section{{"texts", cases}}
}

func textOne(text string) textCase {
	result := textCase{In: text}
	if !utf8.ValidString(text) {
		result = textCase{Bytes: base64.StdEncoding.EncodeToString([]byte(text))}
	}
	var value any
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &value); err != nil {
		result.Error = err.Error()
		return result
	}
	result.JSON = string(encode(value))
	if _, isObject := value.(map[string]any); isObject {
		object := map[string]any{}
		repeated, err := sigsjson.UnmarshalStrict([]byte(text), &object)
		if err != nil {
			fail(err)
		}
		for _, each := range repeated {
			result.Repeated = append(result.Repeated, each.Error())
		}
	}
	return result
}

var fixedTexts = []string{
	"", " ", "\ufeff{}", "{", "}", "[", "]", ",", ":", "\"", "nul", "nulll", "True", "NaN", "Infinity", "01", "-", "-a", "1.", ".5", "1e", "1e+", "+1",
	"\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"a\nb\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[1,]", "[,1]", "[1 2]", "{\"a\" 1}", "{1:2}", "{a:1}", "// x", "1 2", "{}{}", "'a'",
	"1e400", "-1e400", "{\"a\":1e999}", "1e-400", "-0", "-0.0", "0e0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "100000000000000000000000", "1E5", "0.1", "123456789.123456789", "1e21", "1e20", "1e-6", "1e-7",
	"\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud800\\u0041\"", "\"\\/\\b\\f\\n\\r\\t\\\\\\\"\"", "\"\xff\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\xff", "{\"\xff\":1,\"\xfe\":2}", "\"\u2028\"",
	"{\"__proto__\":{\"a\":1},\"constructor\":2,\"__proto__\":3}", "{\"a\":{\"b.c\":1,\"b.c\":2}}", "{\"a\":[{\"b\":1,\"b\":2},{\"b\":1,\"b\":3}]}", "{\"\":1,\"\":2}", "{\"é\":1,\"\\u00e9\":2}", "{\"q\\\"\\n\":1,\"q\\\"\\n\":2}",
	strings.Repeat("[", 900) + strings.Repeat("]", 900), "\t\r\n {} \n", "\v{}", "{}\x00",
}
