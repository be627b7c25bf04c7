package main

// A source is a small seeded generator: the same seed gives the same inputs everywhere.
type source struct{ state uint64 }

func (s *source) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func (s *source) int(below int) int { return int(s.next() % uint64(below)) }

// chance returns true with probability 1/in.
func (s *source) chance(in int) bool { return s.int(in) == 0 }

func pick[T any](s *source, from ...T) T { return from[s.int(len(from))] }
