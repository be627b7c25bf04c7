package main

import (
	"math"
	"math/big"
	"strconv"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

// parsedQuantity is one text and all results of Kubernetes for it.
type parsedQuantity struct {
	In    string `json:"in"`
	Error bool   `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`
	// Canonical is set if String() returns the input unchanged.
	Canonical string `json:"canonical,omitempty"`
	Format    string `json:"format,omitempty"`
	// Value and Milli are exact, rounded away from zero. KubeValue is set if Kubernetes' own int64 result
	// differs from Value: it overflowed, or rounded a negative number the other way.
	Value     string `json:"value,omitempty"`
	Milli     string `json:"milli,omitempty"`
	KubeValue string `json:"kubeValue,omitempty"`
	// Int is the result of AsInt64, if it has one.
	Int   string `json:"int,omitempty"`
	Float string `json:"float,omitempty"`
}

type quantityPair struct {
	A          string `json:"a"`
	B          string `json:"b"`
	Cmp        int    `json:"cmp"`
	Sum        string `json:"sum"`
	SumInt     string `json:"sumInt,omitempty"`
	SumFloat   string `json:"sumFloat"`
	Difference string `json:"difference"`
}

type quantityProduct struct {
	A       string `json:"a"`
	By      string `json:"by"`
	Product string `json:"product"`
	Int     string `json:"int,omitempty"`
}

func quantitySections() []section {
	texts := once(append(append([]string{}, quantityTexts...), randomQuantities(2200)...))
	var parsed, pairs, products []any
	for _, text := range texts {
		parsed = append(parsed, parseQuantity(text))
	}

	operands := tameQuantities(texts)
	d := newDice(11)
	for range 1300 {
		pairs = append(pairs, pairOf(pick(d, operands), pick(d, operands)))
	}
	for _, pair := range quantityPairs {
		pairs = append(pairs, pairOf(pair[0], pair[1]))
	}
	for range 400 {
		products = append(products, productOf(pick(d, operands), randomFactor(d)))
	}
	return []section{{"parsed", parsed}, {"pairs", pairs}, {"products", products}}
}

func parseQuantity(text string) parsedQuantity {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return parsedQuantity{In: text, Error: true}
	}
	out := parsedQuantity{In: text, Text: quantity.String(), Format: string(quantity.Format), Int: int64Of(quantity)}
	number, suffix := quantity.CanonicalizeBytes(nil)
	if canonical := string(number) + string(suffix); canonical != out.Text {
		out.Canonical = canonical
	}
	out.Float = floatText(quantity.AsApproximateFloat64())
	if isTame(quantity) {
		out.Value, out.KubeValue = scaledOf(quantity, 0, quantity.Value())
		out.Milli, _ = scaledOf(quantity, resource.Milli, quantity.MilliValue())
	}
	return out
}

func pairOf(left, right string) quantityPair {
	a, b := resource.MustParse(left), resource.MustParse(right)
	sum, difference := a.DeepCopy(), a.DeepCopy()
	sum.Add(b.DeepCopy())
	difference.Sub(b.DeepCopy())
	return quantityPair{
		A: left, B: right, Cmp: a.Cmp(b),
		Sum: sum.String(), SumInt: int64Of(sum), SumFloat: floatText(sum.AsApproximateFloat64()),
		Difference: difference.String(),
	}
}

func productOf(text string, by int64) quantityProduct {
	quantity := resource.MustParse(text)
	quantity.Mul(by)
	return quantityProduct{
		A: text, By: strconv.FormatInt(by, 10), Product: quantity.String(), Int: int64Of(quantity),
	}
}

// scaledOf returns the exact value at a scale, and Kubernetes' result if it differs.
func scaledOf(quantity resource.Quantity, scale resource.Scale, answer int64) (exact, differing string) {
	copied := quantity.DeepCopy()
	rounded := new(inf.Dec).Round(copied.AsDec(), inf.Scale(-scale), inf.RoundUp).UnscaledBig()
	if rounded.Cmp(big.NewInt(answer)) != 0 {
		differing = strconv.FormatInt(answer, 10)
	}
	return rounded.String(), differing
}

func int64Of(quantity resource.Quantity) string {
	if value, ok := quantity.AsInt64(); ok {
		return strconv.FormatInt(value, 10)
	}
	return ""
}

// floatText formats a number so that JavaScript's Number() parses it back.
func floatText(value float64) string {
	if math.IsInf(value, 0) {
		return map[bool]string{true: "Infinity", false: "-Infinity"}[value > 0]
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// tameQuantities returns those that Kubernetes can add and compare in reasonable time: it expands every zero of an exponent.
func tameQuantities(texts []string) []string {
	var out []string
	for _, text := range texts {
		if quantity, err := resource.ParseQuantity(text); err == nil && isTame(quantity) {
			out = append(out, text)
		}
	}
	return out
}

func isTame(quantity resource.Quantity) bool {
	copied := quantity.DeepCopy()
	scale := copied.AsDec().Scale()
	return scale > -400 && scale < 400
}

func randomFactor(d *dice) int64 {
	switch d.below(3) {
	case 0:
		return int64(d.below(21) - 10)
	case 1:
		return int64(d.below(2_000_000) - 1_000_000)
	default:
		return int64(d.next())
	}
}

func randomQuantities(count int) []string {
	d := newDice(1)
	out := make([]string, 0, count)
	for range count {
		text := pick(d, []string{"", "", "", "", "-", "+"}) + randomNumber(d) + randomSuffix(d)
		if d.oneIn(6) {
			text = d.damage(text, "0123456789.+-eEinumkKMGTPx ,µ")
		}
		if !hasHugeExponent(text) {
			out = append(out, text)
		}
	}
	return out
}

func randomNumber(d *dice) string {
	whole := d.word("0123456789", 0, pick(d, []int{2, 4, 8, 16, 20, 26}))
	if d.oneIn(4) {
		whole += pick(d, []string{"0", "00", "000", "000000"})
	}
	switch d.below(3) {
	case 0:
		return whole + "." + d.word("0123456789", 0, pick(d, []int{2, 3, 9, 12, 20}))
	default:
		return whole
	}
}

func randomSuffix(d *dice) string {
	switch d.below(8) {
	case 0, 1:
		return pick(d, []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"})
	case 2, 3:
		return pick(d, []string{"n", "u", "m", "k", "M", "G", "T", "P", "E"})
	case 4:
		return pick(d, []string{"e", "E"}) + pick(d, []string{"", "+", "-"}) + strconv.Itoa(d.below(40))
	case 5:
		return pick(d, []string{"K", "ki", "mi", "i", "e", "E+", "e-", "g", "t", "Zi", "kk", "Mii", "µ"})
	default:
		return ""
	}
}

// hasHugeExponent reports whether Kubernetes would take minutes for a text.
func hasHugeExponent(text string) bool {
	digits := 0
	for i := len(text) - 1; i >= 0 && text[i] >= '0' && text[i] <= '9'; i-- {
		digits++
	}
	exponent := len(text) - digits
	if exponent > 0 && (text[exponent-1] == '+' || text[exponent-1] == '-') {
		exponent--
	}
	return digits > 3 && exponent > 0 && (text[exponent-1] == 'e' || text[exponent-1] == 'E')
}
