package main

import "strings"

// dice is a xorshift generator. It is implemented here so that no Go release can change the vectors.
type dice struct{ state uint64 }

func newDice(seed uint64) *dice { return &dice{state: seed*0x9e3779b97f4a7c15 + 1} }

func (d *dice) next() uint64 {
	d.state ^= d.state << 13
	d.state ^= d.state >> 7
	d.state ^= d.state << 17
	return d.state
}

// below returns a number from 0 to limit-1.
func (d *dice) below(limit int) int { return int(d.next() % uint64(limit)) }

// oneIn returns true with probability 1/times.
func (d *dice) oneIn(times int) bool { return d.below(times) == 0 }

func pick[T any](d *dice, from []T) T { return from[d.below(len(from))] }

// word returns between least and most letters of the alphabet.
func (d *dice) word(alphabet string, least, most int) string {
	letters := []rune(alphabet)
	var out strings.Builder
	for range least + d.below(most-least+1) {
		out.WriteRune(pick(d, letters))
	}
	return out.String()
}

// damage removes, inserts, replaces, doubles or swaps a letter or two.
func (d *dice) damage(text, alphabet string) string {
	letters, extra := []rune(text), []rune(alphabet)
	for range 1 + d.below(2) {
		at := d.below(len(letters) + 1)
		switch d.below(5) {
		case 0:
			letters = splice(letters, at, 0, pick(d, extra))
		case 1:
			letters = splice(letters, at, 1)
		case 2:
			letters = splice(letters, at, 1, pick(d, extra))
		case 3:
			if at < len(letters) {
				letters = splice(letters, at, 0, letters[at])
			}
		case 4:
			if at+1 < len(letters) {
				letters[at], letters[at+1] = letters[at+1], letters[at]
			}
		}
	}
	return string(letters)
}

func splice(letters []rune, at, remove int, insert ...rune) []rune {
	end := min(at+remove, len(letters))
	out := append([]rune{}, letters[:at]...)
	out = append(out, insert...)
	return append(out, letters[end:]...)
}

// once removes duplicates and keeps the order.
func once(texts []string) []string {
	seen := map[string]bool{}
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}
