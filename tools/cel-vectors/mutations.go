package main

import (
	"fmt"
	"strconv"
)

// mutated is a set of texts of one kind that are mutated at random, and the expressions that use them.
type mutated struct {
	group string
	count int
	seeds []string
	// alphabet contains the characters that are inserted into the texts.
	alphabet []string
	// templates take the text as a CEL literal.
	templates []string
}

var mutations = []mutated{
	{
		group: "url-mutations", count: 450,
		seeds: []string{
			"https://user:pass@example.com:80/path?query=val#fragment", "https://[::1]:80/", "/absolute/path?a=b&c=d",
			"https://[fe80::1%25eth0]:8080/x", "mailto:joe@example.com", "file:///etc/hosts", "https://example.com/a%20b/%7Ec?d=%20&e+f=g",
			"h2c://a:1,b:2/db", "//host/path", "https://example.com",
		},
		alphabet:  []string{"%", "%41", "%zz", "%25", "%2", ":", "/", "//", "?", "#", "@", "[", "]", " ", "+", "&", "=", ";", "\u00e9", "\U0001f600", "\x7f", "\"", "\\", "^", "|", "80", "x", "::", ".", "*", "<", "{", "`"},
		templates: []string{"url(%s)", "url(%s).getEscapedPath()", "url(%s).getQuery()", "url(%s).getHostname()"},
	},
	{
		group: "ip-mutations", count: 350,
		seeds:     []string{"127.0.0.1", "255.255.255.255", "2001:db8::abcd", "1:2:3:4:5:6:7:8", "::", "::1", "::1.2.3.4", "fe80::1%eth0", "::ffff:1.2.3.4", "1::"},
		alphabet:  []string{":", "::", ".", "0", "1", "255", "256", "f", "ffff", "g", "%", "%1", "/", " ", "00", "\u00e9", "abcde", "1.2.3.4"},
		templates: []string{"ip(%s)", "ip.isCanonical(%s)"},
	},
	{
		group: "cidr-mutations", count: 250,
		seeds:     []string{"192.168.0.0/16", "0.0.0.0/0", "2001:db8::/32", "::1/128", "10.0.0.1/8", "fe80::1/64"},
		alphabet:  []string{"/", "0", "1", "33", "129", "-", "+", ".", ":", " ", "x", "\u00e9", "/24", "99999999999999999999"},
		templates: []string{"cidr(%s)", "cidr(%s).masked()"},
	},
	{
		group: "semver-mutations", count: 300,
		seeds:     []string{"1.2.3", "0.1.0-alpha.1", "1.0.0-rc.1+build.5", "v1.2", "01.02.03", "1", "10.20.30+x.y-z", "1.0.0--"},
		alphabet:  []string{".", "-", "+", "0", "00", "1", "v", "a", "rc", "_", " ", "\u00e9", "18446744073709551616", "..", "A-"},
		templates: []string{"semver(%s)", "semver(%s, true)"},
	},
	{
		group: "quantity-mutations", count: 300,
		seeds:     []string{"1.5Gi", "100m", "1e3", "-0.5", "12E", "9223372036854775807", "1Ki", "0.000001", "1000000k", "+5"},
		alphabet:  []string{".", "e", "E", "i", "k", "Ki", "m", "n", "-", "+", "0", "000", "9", "1", " ", "x", "e-9", "e18", "Ei", "999999999"},
		templates: []string{"quantity(%s)", "quantity(%s).asInteger()", "quantity(%s).asApproximateFloat()", "quantity(%s).add(quantity('1.5'))"},
	},
	{
		group: "name-mutations", count: 200,
		seeds:     []string{"my-name", "example.com/name", "a.b.c", "My_Name", "a-"},
		alphabet:  []string{"-", ".", "/", "_", "A", "9", "\u00e9", " ", "..", "--", "\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		templates: []string{"format.dns1123Subdomain().validate(%s)", "format.dns1035LabelPrefix().validate(%s)", "format.qualifiedName().validate(%s)", "format.labelValue().validate(%s)"},
	},
	{
		group: "format-mutations", count: 400,
		seeds:     []string{"%s", "%d and %s", "100%%", "%.2f", "%e|%x", "%b%o%X", "\u00e9%s\U0001f600"},
		alphabet:  []string{"%", "%%", "%s", "%d", "%.", ".", "1", "12", "f", "e", "x", "z", "\u00e9", " ", "%.3f", "%X", "-"},
		templates: []string{"(empty + %s).format([dyn(1.5), dyn('t'), dyn(255), dyn(true), dyn([1])])", "(empty + %s).format([dyn(7), dyn(-2.25)])", "%s.format([1.5, 't', 255])"},
	},
	{
		group: "time-mutations", count: 300,
		seeds:     []string{"2024-02-29T12:34:56.789Z", "2024-01-01T00:00:00+01:30", "1h30m", "1.5s", "-2h45m30.5s", "0001-01-01T00:00:00Z"},
		alphabet:  []string{"-", ":", ".", "0", "9", "T", "Z", "h", "m", "s", "ms", "ns", "+", " ", "24", "60", "99999999999", "\u00b5s", "x"},
		templates: []string{"timestamp(empty + %s)", "duration(empty + %s)", "format.datetime().validate(%s)"},
	},
	{
		group: "number-mutations", count: 250,
		seeds:     []string{"1", "-9223372036854775808", "18446744073709551615", "1.5e3", "0x1F", "Infinity", "NaN", "1e-7"},
		alphabet:  []string{"-", "+", ".", "e", "E", "_", "0", "9", " ", "x", "p", "inf", "\u0661", "0000000000"},
		templates: []string{"int(empty + %s)", "uint(empty + %s)", "double(empty + %s)"},
	},
}

// mutatedCases returns the same random cases every time.
func mutatedCases() []Case {
	random := xorshift(0x9e3779b97f4a7c15)
	var cases []Case
	for _, kind := range mutations {
		for i := 0; i < kind.count; i++ {
			text := []rune(kind.seeds[random.below(len(kind.seeds))])
			for edits := 1 + random.below(3); edits > 0; edits-- {
				text = mutate(text, kind.alphabet, &random)
			}
			template := kind.templates[random.below(len(kind.templates))]
			cases = append(cases, Case{Group: kind.group, Expr: fmt.Sprintf(template, strconv.QuoteToASCII(string(text)))})
		}
	}
	return cases
}

// mutate inserts, replaces or removes a few characters.
func mutate(text []rune, alphabet []string, random *xorshift) []rune {
	start := random.below(len(text) + 1)
	end := start
	if random.below(3) > 0 {
		end = min(len(text), start+1+random.below(2))
	}
	var inserted []rune
	if random.below(4) > 0 {
		inserted = []rune(alphabet[random.below(len(alphabet))])
	}
	return append(append(append([]rune{}, text[:start]...), inserted...), text[end:]...)
}

// xorshift is a small random number generator with the same output on every machine and Go version.
type xorshift uint64

func (x *xorshift) below(limit int) int {
	*x ^= *x << 13
	*x ^= *x >> 7
	*x ^= *x << 17
	return int(uint64(*x>>33) % uint64(limit))
}
