package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

type durationCase struct {
	In          string `json:"in"`
	Error       bool   `json:"error,omitempty"`
	Nanoseconds string `json:"ns,omitempty"`
	Text        string `json:"text,omitempty"`
}

type humanCase struct {
	Milliseconds int64  `json:"ms"`
	Human        string `json:"human"`
	Short        string `json:"short"`
}

var durationTexts = []string{
	"", "0", "+0", "-0", "00", "0s", "-0s", "+0s", "0.0s", "1", "-", "+", ".", "s", ".s", "-.s", "+.s", "1s", "-1s", "+1s",
	"1.s", ".5s", "1.5s", "-1.5s", "1h", "1m", "1ms", "1us", "1µs", "1μs", "1ns", "1h30m", "1h30m10s", "1h1m1s1ms1us1ns",
	"30m1h", "1h1h", "100ms", "1.5h", "0.5m", "1.1h", "0.1ns", "0.9ns", "1.9ns", "0.000000001s", "0.0000000001s",
	"1d", "1w", "1y", "1M", "1H", "1S", "1 s", " 1s", "1s ", "1s 1m", "1h-1m", "1h+1m", "--1s", "1..5s", "1.5.5s", "1e3s",
	"1,5s", "0x1s", "1_0s", "1mss", "1sm", "1min", "1sec", "1hour", "1µ", "1µµs", "µs", "1\x00s", "1s\x00", "１s",
	"9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "-9223372036854775809ns",
	"9223372036.854775807s", "9223372036.854775808s", "-9223372036.854775808s", "9223372036s854775807ns",
	"2562047h47m16.854775807s", "2562047h47m16.854775808s", "-2562047h47m16.854775808s", "2562048h", "-2562048h",
	"153722867m16s", "153722867.2809m", "9223372036854ms", "9223372036855ms", "9223372036854775us", "9223372036854776us",
	"99999999999999999999s", "0.99999999999999999999s", "0.999999999999999999999999999999h", "0.333333333333333333333h",
	"0.9223372036854775807h", "0.9223372036854775808h", "0.92233720368547758070h", "3000000h", "0.100000000000000000000h",
	"00000000000000000000001s", "1.00000000000000000000000s", "1h.5m", "1h.m", ".5.5s", "5.s5.s", "1m0.5s", "4503599.627370497s",
}

func durationSections() []section {
	var texts, humans []any
	for _, text := range once(append(append([]string{}, durationTexts...), randomDurations(2400)...)) {
		texts = append(texts, parseDuration(text))
	}
	for _, ms := range humanMilliseconds() {
		d := time.Duration(ms) * time.Millisecond
		humans = append(humans, humanCase{ms, duration.HumanDuration(d), duration.ShortHumanDuration(d)})
	}
	return []section{{"texts", texts}, {"humans", humans}}
}

func parseDuration(text string) durationCase {
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return durationCase{In: text, Error: true}
	}
	return durationCase{In: text, Nanoseconds: strconv.FormatInt(int64(parsed), 10), Text: parsed.String()}
}

func randomDurations(count int) []string {
	d := newDice(6)
	units := []string{"h", "m", "s", "ms", "us", "µs", "μs", "ns"}
	out := make([]string, 0, count)
	for range count {
		if d.oneIn(4) {
			out = append(out, time.Duration(int64(d.next())>>uint(d.below(64))).String())
			continue
		}
		var text strings.Builder
		text.WriteString(pick(d, []string{"", "", "", "-", "+"}))
		for range 1 + d.below(4) {
			text.WriteString(d.word("0123456789", 0, pick(d, []int{1, 2, 4, 9, 18})))
			if d.oneIn(3) {
				text.WriteString("." + d.word("0123456789", 0, pick(d, []int{1, 3, 9, 18, 21})))
			}
			text.WriteString(pick(d, units))
		}
		whole := text.String()
		if d.oneIn(6) {
			whole = d.damage(whole, "0123456789.+-hmsunµ ")
		}
		out = append(out, whole)
	}
	return out
}

func humanMilliseconds() []int64 {
	const second, minute, hour, day = 1000, 60_000, 3_600_000, 86_400_000
	var out []int64
	edges := []int64{
		0, second, 2 * second, 59 * second, 60 * second, 61 * second, 119 * second, 2 * minute, 121 * second, 3 * minute,
		10 * minute, 599 * second, 59 * minute, hour, 90 * minute, 119 * minute, 179 * minute, 3 * hour, 181 * minute,
		4 * hour, 8 * hour, 479 * minute, 23 * hour, day, 25 * hour, 47 * hour, 2 * day, 49 * hour, 7 * day, 8 * day, 191 * hour,
		364 * day, 365 * day, 366 * day, 729 * day, 730 * day, 731 * day, 1095 * day, 8 * 365 * day, 8*365*day - hour,
		100 * 365 * day, math.MaxInt64 / 1_000_000,
	}
	for _, edge := range edges {
		for _, step := range []int64{-second, -1, 0, 1, 999} {
			if edge+step <= math.MaxInt64/1_000_000 {
				out = append(out, edge+step)
			}
		}
	}
	out = append(out, -1999, -2000, -2001, -999, -60_000, math.MinInt64/1_000_000)
	d := newDice(7)
	for range 600 {
		out = append(out, int64(d.next()>>uint(1+d.below(40)))%(math.MaxInt64/1_000_000))
	}
	return out
}
