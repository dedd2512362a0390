// Package queue holds work until somebody takes it.
package queue

import (
	"context"
	"errors"

	clock "example.org/lib/clock"
)

// ErrClosed is returned once a queue takes nothing more.
var ErrClosed = errors.New("queue: closed")

const (
	small = 16
	large = 1024
)

// Item is one piece of work.
type Item[T any] struct {
	Value T
	Due   clock.Time
}

type (
	// Handler does the work.
	Handler func(context.Context) error
	Names   = map[string]Handler
)

type Queue[T any] struct {
	items  []Item[T]
	closed bool
}

// New makes an empty queue.
func New[T any]() *Queue[T] {
	return &Queue[T]{items: make([]Item[T], 0, small)}
}

// Put adds an item, behind all that are due before it.
func (q *Queue[T]) Put(item Item[T]) error {
	if q.closed {
		return ErrClosed
	}
	at := len(q.items)
	for at > 0 && q.items[at-1].Due.After(item.Due) {
		at--
	}
	q.items = append(q.items, item)
	copy(q.items[at+1:], q.items[at:])
	q.items[at] = item
	return nil
}

func (q *Queue[T]) Len() int { return len(q.items) }
