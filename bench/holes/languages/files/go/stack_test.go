package stack

import "testing"

type Stack[T any] struct {
	items []T
}

func (s *Stack[T]) Push(item T) {
	s.items = append(s.items, item)
}

func (s *Stack[T]) Pop() (T, bool) {
	var zero T
	if len(s.items) == 0 {
		return zero, false
	}
	last := len(s.items) - 1
	item := s.items[last]
	s.items = s.items[:last]
	return item, true
}

func (s *Stack[T]) Len() int {
	return len(s.items)
}

func TestPopReturnsLastPushed(t *testing.T) {
	var s Stack[int]
	s.Push(1)
	s.Push(2)
	got, ok := s.Pop()
	if !ok || got != 2 {
		t.Errorf("Pop() = %d, %v; want 2, true", got, ok)
	}
	if s.Len() != 1 {
		t.Errorf("Len() = %d; want 1", s.Len())
	}
}

func TestPopFromEmpty(t *testing.T) {
	var s Stack[string]
	if _, ok := s.Pop(); ok {
		t.Error("Pop() from an empty stack returned true")
	}
}

func TestOrder(t *testing.T) {
	tests := []struct {
		name string
		in   []int
		want []int
	}{
		{"one", []int{1}, []int{1}},
		{"two", []int{1, 2}, []int{2, 1}},
		{"three", []int{1, 2, 3}, []int{3, 2, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack[int]
			for _, item := range tt.in {
				s.Push(item)
			}
			for i, want := range tt.want {
				got, _ := s.Pop()
				if got != want {
					t.Errorf("item %d = %d; want %d", i, got, want)
				}
			}
		})
	}
}
